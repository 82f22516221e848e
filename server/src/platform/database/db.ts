import pg from 'pg';

/**
 * PostgreSQL as the rest of the server sees it: a transaction is a type, so that what must run inside
 * one cannot be handed a pool. Two roles without BYPASSRLS stand behind it: `acuse_request` sees one tenant's rows
 * (row-level security over `acuse.tenant_id`), `acuse_worker` sees all of them.
 */

export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns its rows. `name` makes it a prepared statement on that connection. */
  query<R extends object = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
  /** As query, but returns how many rows the statement touched. */
  execute(text: string, values?: readonly unknown[], name?: string): Promise<number>;
}

/** An open transaction; only `transact` and `asTenant` make one. */
export interface Tx extends Queryable {
  readonly kind: 'tx';
  /**
   * Sends a statement whose answer nothing in the transaction depends on: the commit travels right behind it, which saves a
   * round trip while locks are held. Its failure fails the transaction as any other's.
   */
  send(text: string, values?: readonly unknown[], name?: string): void;
}

export interface Db extends Queryable {
  readonly kind: 'db';
  /** Runs `work` in one transaction as `acuse_worker`; retried on deadlock (40P01) and serialization failure (40001). */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction as `acuse_request`, seeing only this tenant's rows. */
  asTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Subscribes to NOTIFY on a channel: a hint over polling, never relied on. Returns the unsubscriber. */
  listen(channel: string, onNotify: (payload: string) => void): () => void;
  /** How the two pools stand now. */
  pools(): Readonly<Record<'requests' | 'workers', PoolState>>;
  close(): Promise<void>;
}

export interface PoolState {
  /** Connections that are open, and those of them that nobody uses. */
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}

export interface DbOptions {
  connectionString: string;
  /** Most connections for requests and, separately, for workers. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  onError?: (error: Error) => void;
}

/** Tries a transaction gets when PostgreSQL asks for it again (40P01, 40001). */
const TRANSACT_TRIES = 5;
/** A statement that takes longer is cancelled: nothing here is meant to; fsck pages its reads. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A server that does not even cancel is gone without a word (a cut cable, a frozen machine): the connection is given up. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** How long a caller waits for a free connection before the database counts as unavailable. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long after a lost LISTEN connection a new one is tried. */
const LISTEN_RETRY_MS = 1_000;

const RETRIED = new Set(['40P01', '40001']);
/** SQLSTATE classes and codes, and socket errors, that mean "the database is not there now", not "the statement is wrong". */
const UNAVAILABLE = new Set([
  // A statement that took too long: the database is there, and has too much to do.
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '53100',
  '53200',
  '25006',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

/** True when the error says that the database could not be reached or had to give up, so that the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && UNAVAILABLE.has(code)) return true;
  return /Connection terminated|Query read timeout|timeout exceeded when trying to connect|not queryable|the database system is/.test(
    error.message,
  );
}

/** The SQLSTATE of a PostgreSQL error, or null. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of the safe range: ${text}`);
  return value;
});
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

export function openDb(given: DbOptions): Db {
  // Once we close, the server ends connections that we have ended already: no news to anybody.
  let closing = false;
  const options: DbOptions = { ...given, onError: (error) => void (closing || given.onError?.(error)) };
  const requests = pool(options, 'acuse_request');
  const workers = pool(options, 'acuse_worker');
  const listener = createListener(options);

  return {
    kind: 'db',
    query: (text, values, name) => run(workers, text, values, name).then((result) => result.rows as never),
    execute: (text, values, name) => run(workers, text, values, name).then((result) => result.rowCount ?? 0),
    transact: (work) => inTransaction(workers, null, work),
    asTenant: (tenantId, work) => inTransaction(requests, tenantId, work),
    listen: listener.listen,
    pools: () => ({ requests: stateOf(requests), workers: stateOf(workers) }),
    async close() {
      closing = true;
      await listener.close();
      await Promise.all([requests.end(), workers.end()]);
    },
  };
}

function stateOf({ totalCount, idleCount, waitingCount }: pg.Pool): PoolState {
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}

function pool(options: DbOptions, role: 'acuse_request' | 'acuse_worker'): pg.Pool {
  const made = new pg.Pool({
    connectionString: options.connectionString,
    max: options.poolSize,
    application_name: `${options.applicationName}:${role}`,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    pipeline: true,
    types,
    // Dates go out as UTC text, so that a server's own time zone can never shift one.
    options: `-c role=${role} -c timezone=UTC`,
  } as pg.PoolConfig);
  // The pool listens to idle connections only: one that breaks in the middle of a transaction would end the process.
  made.on('connect', (client) => client.on('error', (error) => options.onError?.(error)));
  made.on('error', () => {});
  return made;
}

function run(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
): Promise<pg.QueryResult> {
  const config: pg.QueryConfig = { text, values: values as unknown[] };
  if (name !== undefined) config.name = name;
  return target.query(config);
}

async function inTransaction<T>(
  from: pg.Pool,
  tenantId: string | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await oneTransaction(from, tenantId, work);
    } catch (error) {
      const state = sqlState(error);
      if (attempt >= TRANSACT_TRIES || state === null || !RETRIED.has(state)) throw error;
    }
  }
}

async function oneTransaction<T>(
  from: pg.Pool,
  tenantId: string | null,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await from.connect();
  let broken: Error | undefined;
  try {
    const open = openTx(client);
    // Not awaited: the connection pipelines, so BEGIN travels with the first statement. A failed BEGIN fails that too.
    open.tx.send('begin');
    if (tenantId !== null)
      open.tx.send("select set_config('acuse.tenant_id', $1, true)", [tenantId], 'set_tenant');
    const value = await work(open.tx);
    await open.commit();
    return value;
  } catch (error) {
    broken = await rollback(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

function openTx(client: pg.PoolClient): { tx: Tx; commit(): Promise<void> } {
  const unawaited: Promise<unknown>[] = [];
  let failure: Error | null = null;

  function run(text: string, values: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    const config: pg.QueryConfig = { text, values: values as unknown[] };
    if (name !== undefined) config.name = name;
    // By callback, which hears at once of a statement that could not even be sent: PostgreSQL would know nothing of it, and commit.
    return new Promise((resolve, reject) => {
      client.query(config, (error, result) => {
        failure ??= error ?? null;
        // What follows a failed statement fails for no reason of its own: the first is what there is to know.
        if (error) reject(failure);
        else resolve(result);
      });
    });
  }

  const tx: Tx = {
    kind: 'tx',
    query: (text, values, name) => run(text, values, name).then((result) => result.rows as never),
    execute: (text, values, name) => run(text, values, name).then((result) => result.rowCount ?? 0),
    send(text, values, name) {
      const sent = run(text, values, name);
      // Heard at the commit, or not at all when something else failed before.
      sent.catch(() => {});
      unawaited.push(sent);
    },
  };
  return {
    tx,
    async commit() {
      if (failure !== null) throw failure;
      const [ended] = await Promise.all([run('commit'), ...unawaited]);
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error: that must never pass for a commit.
      if (ended.command !== 'COMMIT')
        throw new Error(`transaction was rolled back at commit (${ended.command})`);
    },
  };
}

async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function createListener(options: DbOptions) {
  const handlers = new Map<string, Set<(payload: string) => void>>();
  let client: pg.Client | null = null;
  let connecting: Promise<void> | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const made = new pg.Client({
      connectionString: options.connectionString,
      application_name: `${options.applicationName}:listen`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // Several channels may be asked for at once.
      pipeline: true,
    } as pg.ClientConfig);
    const lost = (error?: Error) => {
      if (client === made) client = null;
      if (error !== undefined) options.onError?.(error);
      if (!closed) retry ??= setTimeout(ensure, LISTEN_RETRY_MS).unref();
    };
    made.on('error', lost);
    made.on('end', () => lost());
    made.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '');
    });
    try {
      await made.connect();
      client = made;
      for (const channel of handlers.keys()) await made.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      lost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function ensure(): void {
    retry = undefined;
    if (closed || client !== null || connecting !== null) return;
    connecting = connect().finally(() => {
      connecting = null;
    });
  }

  return {
    listen(channel: string, onNotify: (payload: string) => void): () => void {
      const known = handlers.get(channel) ?? new Set();
      known.add(onNotify);
      handlers.set(channel, known);
      if (client === null) ensure();
      else client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((error) => options.onError?.(error));
      return () => void known.delete(onNotify);
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(retry);
      await connecting;
      await client?.end();
    },
  };
}
