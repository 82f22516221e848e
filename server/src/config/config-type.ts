import type { VARIABLES } from './config-variables.ts';
import type { ValuesOf } from './variable.ts';

/** Everything that the environment says; its type is that of the rows of config-variables.ts. */
export type Config = ValuesOf<typeof VARIABLES>;
