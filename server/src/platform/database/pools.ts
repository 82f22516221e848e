import pg from 'pg';
import { watchCommits } from './durability.ts';
import { hostsOf, primaryClient, tryHosts } from './hosts.ts';
import type { Logins } from './logins.ts';
import { STATEMENT_TIMEOUT_MS, sessionOptions } from './session-options.ts';

/** Connections to the primary that are kept and shared. */
export interface Connections {
  /** One that is free, or a new one; its user releases it. */
  take(): Promise<pg.PoolClient>;
  /** Whether a statement with a name is prepared under it. */
  readonly prepares: boolean;
  state(): PoolState;
  end(): Promise<void>;
}

export interface PoolState {
  /** Connections that are open, and those of them that nobody uses. */
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}

export interface PoolOptions {
  connectionString: string;
  /** Most connections for requests and, separately, for workers. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Of the two roles themselves, by way of a pooler; absent: connectionString's takes both on. */
  logins?: Logins | null;
  /** False: statements have no names, for a pooler that hands sessions on between transactions. */
  prepare?: boolean;
  onError?: (error: Error) => void;
}

/**
 * A server that does not even cancel has vanished silently (a cut cable, a frozen machine): the connection is
 * given up.
 */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** How long a caller waits for a free connection before the database counts as unavailable. */
export const CONNECT_TIMEOUT_MS = 10_000;

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

/** Of one role. */
export function openPool(options: PoolOptions, role: 'acuse_request' | 'acuse_worker'): Connections {
  const { logins = null } = options;
  const url = { acuse_request: logins?.request, acuse_worker: logins?.worker }[role];
  const hosts = hostsOf(url ?? options.connectionString);
  const made = new pg.Pool({
    Client: primaryClient(hosts),
    max: options.poolSize,
    application_name: `${options.applicationName}:${role}`,
    // A pooler refuses them: they are the role's then.
    ...(logins === null && { statement_timeout: STATEMENT_TIMEOUT_MS, options: sessionOptions(role) }),
    query_timeout: QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    pipeline: true,
    types,
  } as pg.PoolConfig);
  made.on('connect', (client) => {
    watchCommits(client);
    // The pool listens to idle connections only: one that breaks in the middle of a transaction would end the
    // process.
    client.on('error', (error) => options.onError?.(error));
  });
  made.on('error', () => {});
  return {
    prepares: options.prepare !== false,
    take: () => tryHosts(hosts, () => made.connect()),
    state: () => ({ open: made.totalCount, idle: made.idleCount, waiting: made.waitingCount }),
    end: () => made.end(),
  };
}
