import type { ValueType } from './config-values.ts';

/** Where a variable belongs, so that a long list reads as a few short ones. */
export const CONFIG_GROUPS = [
  'delivery',
  'http',
  'console',
  'smtp',
  'evidence',
  'retention',
  'limits',
  'webhooks',
  'storage',
  'process',
  'commands',
] as const;

/**
 * When a change of it counts. at_start: at the next start of each process. file_watched: a new path at the
 * next start, new contents of the file without one. by_commands: commands read it, the server does not.
 */
export const CONFIG_READS = ['at_start', 'file_watched', 'by_commands'] as const;

/** What defaults depend on. A variable may ask for those further up in the table. */
export interface Known {
  readonly smarthost: object | null;
  readonly delivery: string;
  readonly roles: readonly string[];
  readonly port: number;
  readonly adminPort: number;
  readonly tlsCertFile: string | null;
  readonly otlpEndpoint: string | null;
  readonly s3Region: string;
  readonly s3Endpoint: string;
}

/** One variable of the environment and the value that it gives: all that is known of it. */
export interface Variable<T = unknown> {
  name: string;
  group: (typeof CONFIG_GROUPS)[number];
  /** at_start when absent. */
  read?: (typeof CONFIG_READS)[number];
  type: ValueType<T>;
  doc: string;
  /** Text of the value when the variable is absent; undefined: the value is null. */
  default?: string | ((known: Known) => string | undefined);
  /** True when null is a value; without it, a variable that has no default must be given. */
  optional?: true;
  /** How the value may be shown: never, or as a URL with its password cut. */
  secret?: 'hidden' | 'password';
}

/** Variables by the names that their values have in `Config`. */
export type Variables = Readonly<Record<string, Variable>>;

/** The value that a row gives. */
type ValueOf<Row> = Row extends { type: ValueType<infer T> }
  ? Row extends { optional: true }
    ? T | null
    : T
  : never;

/** The values that a table gives. */
export type ValuesOf<Rows> = { readonly [Key in keyof Rows]: ValueOf<Rows[Key]> };
