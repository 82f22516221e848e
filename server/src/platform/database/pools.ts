import pg from 'pg';
import { watchCommits } from './durability.ts';
import { hostsOf, primaryClient, reaching, tryHosts } from './hosts.ts';
import type { Logins } from './logins.ts';
import { STATEMENT_TIMEOUT_MS, sessionOptions } from './session-options.ts';

export interface Connections {
  take(): Promise<pg.PoolClient>;
  /** True: named statements are prepared. */
  readonly prepares: boolean;
  state(): PoolState;
  end(): Promise<void>;
}

export interface PoolState {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface PoolOptions {
  connectionString: string;
  poolSize: number;
  applicationName: string;
  /** Logins of the two roles through a pooler; absent: connectionString's login assumes both. */
  logins?: Logins | null;
  /** False: no prepared statements, for a pooler that shares sessions. */
  prepare?: boolean;
  onError?: (error: Error) => void;
}

/**
 * A server that does not even cancel has vanished (a cut cable, a frozen machine): the connection is closed.
 */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** Longest wait for a free connection (ms). */
export const CONNECT_TIMEOUT_MS = 10_000;

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

export function openPool(options: PoolOptions, role: 'acuse_request' | 'acuse_worker'): Connections {
  const { logins = null } = options;
  const url = { acuse_request: logins?.request, acuse_worker: logins?.worker }[role];
  const hosts = hostsOf(url ?? options.connectionString);
  const made = new pg.Pool({
    Client: primaryClient(hosts),
    max: options.poolSize,
    application_name: `${options.applicationName}:${role}`,
    // Poolers refuse them: the role has them.
    ...(logins === null && { statement_timeout: STATEMENT_TIMEOUT_MS, options: sessionOptions(role) }),
    query_timeout: QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    pipeline: true,
    types,
  } as pg.PoolConfig);
  made.on('connect', (client) => {
    watchCommits(client);
    // The pool listens to idle connections only; an error inside a transaction would crash the process.
    client.on('error', (error) => options.onError?.(error));
  });
  made.on('error', () => {});
  return {
    prepares: options.prepare !== false,
    take: () => reaching(() => tryHosts(hosts, () => made.connect())),
    state: () => ({ open: made.totalCount, idle: made.idleCount, waiting: made.waitingCount }),
    end: () => made.end(),
  };
}
