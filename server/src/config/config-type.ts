import type { VARIABLES } from './config-variables.ts';
import type { ValuesOf } from './variable.ts';

export type Config = ValuesOf<typeof VARIABLES>;
