/** The evidence format: bundled into one module of the package. Nothing else imports packages/evidence. */
export function placeholder(): void {}
