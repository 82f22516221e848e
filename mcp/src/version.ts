/** Version of this package: that of package.json. */
export const VERSION = '1.0.0';
