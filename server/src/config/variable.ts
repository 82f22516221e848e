import type { ValueType } from './config-values.ts';

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
 * When a change takes effect. file_watched: a new path at the next start, new contents at once; by_commands:
 * not read by the server.
 */
export const CONFIG_READS = ['at_start', 'file_watched', 'by_commands'] as const;

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

export interface Variable<T = unknown> {
  name: string;
  group: (typeof CONFIG_GROUPS)[number];
  /** Default: at_start. */
  read?: (typeof CONFIG_READS)[number];
  type: ValueType<T>;
  doc: string;
  /** Undefined: null. */
  default?: string | ((known: Known) => string | undefined);
  /** Null is allowed; without it or a default the variable is required. */
  optional?: true;
  /** hidden: never shown; password: cut from the URL. */
  secret?: 'hidden' | 'password';
}

export type Variables = Readonly<Record<string, Variable>>;

type ValueOf<Row> = Row extends { type: ValueType<infer T> }
  ? Row extends { optional: true }
    ? T | null
    : T
  : never;

export type ValuesOf<Rows> = { readonly [Key in keyof Rows]: ValueOf<Rows[Key]> };
