import type pg from 'pg';
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
import { setTenant } from './set-tenant.ts';

/**
 * PostgreSQL as the rest of the server sees it: a transaction is a type, so that what must run inside one
 * cannot be handed a pool. It uses three roles without BYPASSRLS: `acuse_request` sees one tenant's rows
 * (row-level security over `acuse.tenant_id`), `acuse_worker` sees all of them but for people, their
 * sessions and secrets, which only `acuse_sessions` sees.
 */

export type Row = Record<string, unknown>;

export interface Queryable extends MaybeDistributed {
  /** Runs one statement and returns its rows. `name` makes it a prepared statement on that connection. */
  query<R extends object = Row>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
  /** As query, but returns how many rows the statement touched. */
  execute(text: string, values?: readonly unknown[], name?: string): Promise<number>;
}

export interface Copyable {
  /** As query, for very many rows: they are not made into objects, but their values read one by one. */
  copyOut(select: string, values: readonly (string | number)[]): Promise<CopiedRows>;
}

/** An open transaction; only `transact` and `asTenant` make one. */
export interface Tx extends Queryable, Copyable {
  readonly kind: 'tx';
  readonly distributed: boolean;
  /**
   * Sends a statement whose answer nothing in the transaction depends on: the commit travels right after it,
   * which saves a round trip while locks are held. Its failure fails the transaction as any other's.
   */
  send(text: string, values?: readonly unknown[], name?: string): void;
  /**
   * What a restore must not forget: in the journal (ACUSE_JOURNAL) before the commit, which fails when it
   * cannot be; `after`: once the commit is done, as soon as it can be.
   */
  note(note: Note, when?: 'before' | 'after'): void;
  /**
   * Calls `told` once, when this transaction has ended, and before anybody else hears of it; false: it was
   * not committed, or nobody knows. One that is tried again is another one. `told` throws nothing.
   */
  onEnd(told: (committed: boolean) => void): void;
}

/**
 * Where commits wait for a synchronous standby, what `transact` and `asTenant` return or throw rests on
 * nothing that a failover may still undo: a transaction that wrote waited itself, one that only read is
 * followed by a barrier. `query` and `execute` outside of a transaction promise this of what they write, not
 * of what they read. All of them throw CommitInDoubt.
 */
export interface Db extends Queryable, Copyable {
  readonly kind: 'db';
  /**
   * Runs `work` in one transaction as `acuse_worker`; retried on deadlock (40P01) and serialization failure
   * (40001).
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction as `acuse_request`, seeing only this tenant's rows. */
  asTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction as `acuse_sessions`: people, their sessions and factors. */
  asSessions<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As transact, but reads without a barrier: for the operator's eyes, while a standby is away too. */
  observe<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  readonly distributed: () => Promise<boolean>;
  /** Subscribes to NOTIFY on a channel: a hint over polling, never relied on. Returns the unsubscriber. */
  listen(channel: string, onNotify: (payload: string) => void): () => void;
  /** Looks whether sessions are what they must be. Throws WrongSession. */
  checkSessions(): Promise<void>;
  /** The state of the two pools now. */
  pools(): Readonly<Record<'requests' | 'workers', PoolState>>;
  close(): Promise<void>;
}

export interface DbOptions extends PoolOptions {
  /** How long a barrier is waited for; BARRIER_TIMEOUT_MS unless said otherwise. */
  barrierTimeoutMs?: number;
  /** Where what transactions note is kept, outside of the database; absent: nowhere. */
  journal?: Journal | null;
}

/** Tries a transaction gets when PostgreSQL asks for it again (40P01, 40001). */
const TRANSACT_TRIES = 5;
const RETRIED = new Set(['40P01', '40001']);
export function openDb(given: DbOptions): Db {
  // Once we close, the server ends connections that we have ended already: no news to anybody.
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

/** One statement that is a transaction of its own. */
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
  /** Null: as worker. */
  readonly tenantId: string | null;
  /** Null: what is read may be undone. */
  readonly barrier: Barrier | null;
  readonly distributed: () => Promise<boolean>;
  /** Taken on for the transaction; absent: the pool's own. */
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
    // A refusal rests on what was read as much as an answer does.
    if (ground !== null) await place.barrier?.passed(ground);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

interface Ended<T> {
  readonly outcome: PromiseSettledResult<T>;
  /** Null: its own commit waited, or it is not known whether it did anything. */
  readonly ground: Ground | null;
}

async function oneTransaction<T>(place: Place, work: (tx: Tx) => Promise<T>): Promise<Ended<T>> {
  const distributed = await place.distributed();
  const client = await place.pool.take();
  let broken: Error | undefined;
  try {
    forgetDoubt(client);
    const open = openTx(client, place, distributed);
    // Not awaited: the connection pipelines, so BEGIN travels with the first statement. A failed BEGIN fails
    // that too.
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
      // On a connection that has given no answer another question gets none.
      // One to what has become a standby is of no use any more.
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

/** Commands that write to the log whatever they touch, so that their commit waits for the standby. */
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE']);

interface OpenTx {
  readonly tx: Tx;
  commit(): Promise<void>;
  /** True when its commit waited for the standby; known after the commit. */
  wrote(): boolean;
  /** Tells those who want to know; the first call counts. */
  ended(committed: boolean): void;
}

function openTx(client: pg.PoolClient, { pool, journal }: Place, distributed: boolean): OpenTx {
  const notes: Record<'before' | 'after', Note[]> = { before: [], after: [] };
  const unawaited: Promise<unknown>[] = [];
  const told: ((committed: boolean) => void)[] = [];
  let failure: Error | null = null;
  let wrote = false;

  function run(text: string, values?: readonly unknown[], name?: string): Promise<pg.QueryResult> {
    // By callback, which hears at once of a statement that could not even be sent: PostgreSQL would know
    // nothing of it, and commit.
    return new Promise((resolve, reject) => {
      client.query(configOf(pool, text, values, name), (error, result) => {
        failure ??= error ?? null;
        // What follows a failed statement fails for no reason of its own: the first is what there is to know.
        if (error) return reject(failure);
        wrote ||= WRITES.has(result.command) && countOf(result) > 0;
        resolve(result);
      });
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
      // Heard at the commit, or not at all when something else failed before.
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
        // Last of all: what is refused is not in it. Crash here: it has what was answered to nobody.
        await Promise.all(unawaited);
        await journal.append(notes.before);
      }
      const [ended] = await Promise.all([run('commit'), ...unawaited]);
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error: that must never pass
      // for a commit.
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
