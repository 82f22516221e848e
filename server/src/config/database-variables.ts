import type { Config } from './config-type.ts';
import { databaseUrl, duration, integer, onOff } from './config-values.ts';
import type { Variable } from './variable.ts';

type DatabaseKey = Extract<keyof Config, `database${string}`>;

/** Where the database is and how it is used, in the order of config-variables.ts. */
export const DATABASE_VARIABLES: { readonly [Key in DatabaseKey]: Variable<Config[Key]> } = {
  databaseUrl: {
    name: 'DATABASE_URL',
    type: databaseUrl,
    doc: 'PostgreSQL 15 or newer; with several hosts (one:5432,two:5432), whichever of them is the primary. Default: an embedded one in the data folder.',
    optional: true,
    secret: 'password',
  },
  databaseRequestUrl: {
    name: 'ACUSE_DB_REQUEST_URL',
    type: databaseUrl,
    doc: 'For requests: a login of the role acuse_request itself, as through PgBouncer. Default: DATABASE_URL takes the role on.',
    optional: true,
    secret: 'password',
  },
  databaseWorkerUrl: {
    name: 'ACUSE_DB_WORKER_URL',
    type: databaseUrl,
    doc: 'For background work: a login of the role acuse_worker itself. Set both or neither; DATABASE_URL leads past the pooler.',
    optional: true,
    secret: 'password',
  },
  databasePrepare: {
    name: 'ACUSE_DB_PREPARE',
    type: onOff,
    doc: 'off: statements are not prepared, for a pooler in transaction mode that cannot keep them (PgBouncer before 1.21).',
    default: 'on',
  },
  databasePool: {
    name: 'ACUSE_DB_POOL',
    type: integer(1, 200, 'a number of connections'),
    doc: 'Maximum database connections for requests; background work has as many of its own.',
    default: '10',
  },
  databaseWaitMs: {
    name: 'ACUSE_DB_WAIT',
    type: duration(0, 3_600_000),
    doc: 'How long the server waits for the database at startup before it exits with code 3.',
    default: '30s',
  },
};
