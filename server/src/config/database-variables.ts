import { databaseUrl, duration, integer, onOff } from './config-values.ts';
import type { Variables } from './variable.ts';

export const DATABASE_VARIABLES = {
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'storage',
    type: databaseUrl,
    doc: 'PostgreSQL 15 or newer; with several hosts (one:5432,two:5432), whichever of them is the primary. Default: an embedded one in the data folder.',
    optional: true,
    secret: 'password',
  },
  databaseRequestUrl: {
    name: 'ACUSE_DB_REQUEST_URL',
    group: 'storage',
    type: databaseUrl,
    doc: 'For requests: a login of the role acuse_request itself, as PgBouncer needs it. Default: sessions of DATABASE_URL take that role.',
    optional: true,
    secret: 'password',
  },
  databaseWorkerUrl: {
    name: 'ACUSE_DB_WORKER_URL',
    group: 'storage',
    type: databaseUrl,
    doc: 'For background work: a login of the role acuse_worker itself. Set both or neither; DATABASE_URL leads past the pooler.',
    optional: true,
    secret: 'password',
  },
  databasePrepare: {
    name: 'ACUSE_DB_PREPARE',
    group: 'storage',
    type: onOff,
    doc: 'off: statements are not prepared, for a pooler in transaction mode that cannot keep them (PgBouncer before 1.21).',
    default: 'on',
  },
  databasePool: {
    name: 'ACUSE_DB_POOL',
    group: 'storage',
    type: integer(1, 200, 'a number of connections'),
    doc: 'Maximum database connections for requests; background work has as many of its own.',
    default: '10',
  },
  databaseWaitMs: {
    name: 'ACUSE_DB_WAIT',
    group: 'storage',
    type: duration(0, 3_600_000),
    doc: 'How long the server waits for the database at startup before it exits with code 3.',
    default: '30s',
  },
} satisfies Variables;
