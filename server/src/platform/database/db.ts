import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { AcceptedKey } from '../journal/accepted.ts';
import type { Journal } from '../journal/journal.ts';
import type { Note } from '../journal/note.ts';
import { type CopiedRows, copyOut } from './copy-out.ts';
import { createDistributedLook, IS_DISTRIBUTED, type MaybeDistributed } from './distributed.ts';
import {
  BARRIER,
  type Barrier,
  createBarrier,
  forgetDoubt,
  GROUND,
  type Ground,
  throwIfInDoubt,
} from './durability.ts';
import { isUnavailable, READ_ONLY, sqlState } from './failures.ts';
import { hostsOf } from './hosts.ts';
import { createListener } from './listener.ts';
import { checkSessions } from './logins.ts';
import { CONNECT_TIMEOUT_MS, type Connections, openPool, type PoolOptions, type PoolState } from './pools.ts';
import { watchPrimary } from './primary-watch.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * PostgreSQL for the rest of the server. A transaction is a type, so a pool cannot be passed where a
 * transaction is required. Three roles without BYPASSRLS: `acuse_request` sees one tenant's rows (row-level
 * security over `acuse.tenant_id`), `acuse_worker` sees all rows but people, sessions and secrets, which only
 * `acuse_sessions` sees.
 */

export type Row = Record<string, unknown>;

export interface Queryable extends MaybeDistributed {
  /** Runs one statement and returns its rows. A `name` prepares it on the connection. */
  query<R extends object = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
  /** As query, but returns the number of affected rows. */
  execute(text: string, values?: readonly unknown[], name?: string): Promise<number>;
}

export interface Copyable {
  /** As query, for very large reads: values are read one by one, without objects. */
  copyOut(select: string, values: readonly (string | number)[]): Promise<CopiedRows>;
}

/** An open transaction, made only by `transact` and `asTenant`. */
export interface Tx extends Queryable, Copyable {
  readonly kind: 'tx';
  readonly distributed: boolean;
  /**
   * Sends a statement without waiting for its answer: the commit follows at once, which saves a round trip
   * while locks are held. Its failure fails the transaction.
   */
  send(text: string, values?: readonly unknown[], name?: string): void;
  /**
   * Writes a note to the journal (ACUSE_JOURNAL), which survives a restore. `before`: before the commit,
   * which fails if the journal does; `after`: soon after the commit.
   */
  note(note: Note, when?: 'before' | 'after'): void;
  /**
   * Calls `told` once the transaction has ended; false: not committed, or unknown. Each retry is a new
   * transaction. `told` must not throw.
   */
  onEnd(told: (committed: boolean) => void): void;
}

/** Dependencies of most operations. */
export interface DbAndClock {
  readonly db: Db;
  readonly clock: Clock;
}

/**
 * With a synchronous standby, results of `transact` and `asTenant` never depend on data that a failover could
 * undo: writes wait in their commit, reads are followed by a barrier. `query` and `execute` outside a
 * transaction guarantee this for writes only. All throw CommitInDoubt.
 */
export interface Db extends Queryable, Copyable {
  readonly kind: 'db';
  /** One transaction as `acuse_worker`; retried on deadlock (40P01) and serialization failure (40001). */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One transaction as `acuse_request`, which sees only this tenant's rows. */
  asTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One transaction as `acuse_sessions`: people, sessions and factors. */
  asSessions<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As transact, but without a barrier, so that operators can read while a standby is away. */
  observe<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  readonly distributed: () => Promise<boolean>;
  /** Keys of committed messages into the journal; without one they are not asked for. Never fails. */
  keepKeys(keys: () => readonly AcceptedKey[]): Promise<void>;
  /** Subscribes to NOTIFY on a channel, as a hint only. Returns the unsubscriber. */
  listen(channel: string, onNotify: (payload: string) => void): () => void;
  /** Checks the settings of sessions. Throws WrongSession. */
  checkSessions(): Promise<void>;
  pools(): Readonly<Record<'requests' | 'workers', PoolState>>;
  close(): Promise<void>;
}

interface DbOptions extends PoolOptions {
  barrierTimeoutMs?: number;
  journal?: Journal | null;
}

/** Tries of a transaction after 40P01 or 40001. */
const TRANSACT_TRIES = 5;
const RETRIED = new Set(['40P01', '40001']);
export function openDb(given: DbOptions): Db {
  // While closing, lost connections are expected.
  let closing = false;
  const options: DbOptions = { ...given, onError: (error) => void (closing || given.onError?.(error)) };
  const requests = openPool(options, 'acuse_request');
  const workers = openPool(options, 'acuse_worker');
  const hosts = hostsOf(options.connectionString);
  const watch = hosts.urls.length > 1 ? watchPrimary(hosts, options.applicationName) : null;
  watch?.start();
  const listener = createListener({ ...options, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  const barrier = createBarrier(async () => {
    const { rows } = await runAlone(workers, BARRIER, [], 'barrier');
    return rows[0].server;
  }, options.barrierTimeoutMs);
  const distributed = createDistributedLook(async () => {
    const { rows } = await runAlone(workers, IS_DISTRIBUTED);
    return rows[0].distributed;
  });

  const place = { journal: options.journal ?? null, distributed };
  return {
    kind: 'db',
    query: (text, values, name) => runAlone(workers, text, values, name).then(({ rows }) => rows as never),
    execute: (text, values, name) => runAlone(workers, text, values, name).then(countOf),
    copyOut: (select, values) => onOne(workers, (client) => copyOut(client, select, values)),
    transact: (work) => inTransaction({ ...place, pool: workers, tenantId: null, barrier }, work),
    asTenant: (tenantId, work) => inTransaction({ ...place, pool: requests, tenantId, barrier }, work),
    asSessions: (work) =>
      inTransaction({ ...place, pool: workers, tenantId: null, barrier, role: 'acuse_sessions' }, work),
    observe: (work) => inTransaction({ ...place, pool: workers, tenantId: null, barrier: null }, work),
    distributed,
    keepKeys: async (keys) => options.journal?.accepted(keys()),
    listen: listener.listen,
    async checkSessions() {
      const { logins = null } = options;
      for (const [pool, role] of [
        [requests, 'acuse_request'],
        [workers, 'acuse_worker'],
      ] as const) {
        const ask = async (text: string, values: readonly unknown[]) =>
          (await runAlone(pool, text, values)).rows;
        await checkSessions(ask, role, logins);
      }
    },
    pools: () => ({ requests: requests.state(), workers: workers.state() }),
    async close() {
      closing = true;
      await watch?.stop();
      await listener.close();
      await Promise.all([requests.end(), workers.end()]);
    },
  };
}

const countOf = (result: pg.QueryResult): number => result.rowCount ?? 0;

function configOf(
  pool: Connections,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
): pg.QueryConfig {
  const config: pg.QueryConfig = { text, values: values as unknown[] };
  if (name !== undefined && pool.prepares) config.name = name;
  return config;
}

/** Made of text, because pg copies a config by its property descriptors: 2 µs a statement. */
function named(query: pg.Query, pool: Connections, name?: string): pg.Query {
  if (name !== undefined && pool.prepares) (query as { name?: string }).name = name;
  return query;
}

function runAlone(
  pool: Connections,
  text: string,
  values?: readonly unknown[],
  name?: string,
): Promise<pg.QueryResult> {
  return onOne(pool, (client) => client.query(configOf(pool, text, values, name)));
}

async function onOne<T>(pool: Connections, run: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.take();
  let failure: Error | undefined;
  try {
    forgetDoubt(client);
    const result = await run(client);
    throwIfInDoubt(client);
    return result;
  } catch (error) {
    failure = toError(error);
    throw failure;
  } finally {
    client.release(failure);
  }
}

interface Place {
  readonly pool: Connections;
  readonly tenantId: string | null;
  /** Null: reads need no barrier. */
  readonly barrier: Barrier | null;
  readonly distributed: () => Promise<boolean>;
  readonly role?: 'acuse_sessions';
  readonly journal: Journal | null;
}

async function inTransaction<T>(place: Place, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { outcome, ground } = await oneTransaction(place, work);
    if (outcome.status === 'rejected') {
      const state = sqlState(outcome.reason);
      if (state !== null && RETRIED.has(state) && attempt < TRANSACT_TRIES) continue;
    }
    // A refusal depends on what was read as much as an answer does.
    if (ground !== null) await place.barrier?.passed(ground);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

interface Ended<T> {
  readonly outcome: PromiseSettledResult<T>;
  /** Null: the commit itself waited, or it is unknown whether anything was done. */
  readonly ground: Ground | null;
}

async function oneTransaction<T>(place: Place, work: (tx: Tx) => Promise<T>): Promise<Ended<T>> {
  const distributed = await place.distributed();
  const client = await place.pool.take();
  let broken: Error | undefined;
  try {
    forgetDoubt(client);
    const open = openTx(client, place, distributed);
    // Not awaited: BEGIN travels with the first statement, and its failure fails that statement too.
    open.tx.send('begin');
    if (place.role !== undefined) open.tx.send(`set local role ${place.role}`);
    if (place.tenantId !== null) open.tx.send(setTenant(place.tenantId));
    const asked = place.tenantId === null ? null : open.tx.query<Ground>(ASK_GROUND, [], 'ask_ground');
    asked?.catch(() => {});
    const readGround = async () => (await asked)?.[0] ?? (await askGround(place, client));
    try {
      const value = await work(open.tx);
      await open.commit();
      open.ended(true);
      return { outcome: { status: 'fulfilled', value }, ground: open.wrote() ? null : await readGround() };
    } catch (error) {
      open.ended(false);
      // A connection that timed out answers nothing more, and one to a standby is useless.
      const isSpent = hasTimedOut(error) || sqlState(error) === READ_ONLY;
      broken = isSpent ? toError(error) : await rollback(client);
      const lost = broken !== undefined || isUnavailable(error);
      return { outcome: { status: 'rejected', reason: error }, ground: lost ? null : await readGround() };
    }
  } catch (error) {
    broken ??= toError(error);
    throw error;
  } finally {
    client.release(broken);
  }
}

const ASK_GROUND = `select ${GROUND}`;

async function askGround({ barrier, pool }: Place, client: pg.PoolClient): Promise<Ground | null> {
  if (barrier === null) return null;
  const { rows } = await client.query(configOf(pool, ASK_GROUND, [], 'ask_ground'));
  return rows[0];
}

/** Commands that always write WAL, so that their commit waits for the standby. */
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE']);

interface OpenTx {
  readonly tx: Tx;
  commit(): Promise<void>;
  wrote(): boolean;
  ended(committed: boolean): void;
}

function openTx(client: pg.PoolClient, { pool, journal }: Place, distributed: boolean): OpenTx {
  const notes: Record<'before' | 'after', Note[]> = { before: [], after: [] };
  const unawaited: Promise<unknown>[] = [];
  const told: ((committed: boolean) => void)[] = [];
  let failure: Error | null = null;
  let wrote = false;

  function run(text: string, values?: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    // The callback reports a statement that was not sent: PostgreSQL would not know of it, and commit.
    return new Promise((resolve, reject) => {
      const query = new pg.Query(text, values as unknown[], (error, result) => {
        failure ??= error ?? null;
        // After a failed statement the next ones fail too: only the first error matters.
        if (error) return reject(failure);
        wrote ||= WRITES.has(result.command) && countOf(result) > 0;
        resolve(result as unknown as pg.QueryResult);
      });
      client.query(named(query, pool, name));
    });
  }

  const tx: Tx = {
    kind: 'tx',
    distributed,
    query: (text, values, name) => run(text, values, name).then((result) => result.rows as never),
    execute: (text, values, name) => run(text, values, name).then(countOf),
    copyOut: (select, values) =>
      copyOut(client, select, values).catch((error) => {
        failure ??= toError(error);
        throw failure;
      }),
    send(text, values, name) {
      const sent = run(text, values, name);
      // Reported at the commit, unless something failed earlier.
      sent.catch(() => {});
      unawaited.push(sent);
    },
    note: (note, when = 'before') => void notes[when].push(note),
    onEnd: (each) => void told.push(each),
  };
  return {
    tx,
    async commit() {
      if (failure !== null) throw failure;
      if (journal !== null && notes.before.length > 0) {
        // Last, so that refused transactions are not in it. A crash here loses nothing that was answered.
        await Promise.all(unawaited);
        await journal.append(notes.before);
      }
      const [ended] = await Promise.all([run('commit'), ...unawaited]);
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error.
      if (ended.command !== 'COMMIT')
        throw new Error(`transaction was rolled back at commit (${ended.command})`);
      if (notes.after.length > 0) journal?.later(notes.after);
      throwIfInDoubt(client);
    },
    wrote: () => wrote,
    ended(committed) {
      for (const each of told.splice(0)) each(committed);
    },
  };
}

const hasTimedOut = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return toError(error);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** As a command, which Citus passes on to the nodes of the transaction. It takes no parameter. */
function setTenant(tenantId: string): string {
  if (!UUID.test(tenantId)) throw new RangeError(`not the id of an account: ${JSON.stringify(tenantId)}`);
  return `set local acuse.tenant_id = '${tenantId}'`;
}
