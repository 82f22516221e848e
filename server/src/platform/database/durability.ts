import type pg from 'pg';

/**
 * What a primary shows need not be what its synchronous standby has: a commit whose wait was interrupted
 * (pg_cancel_backend, pg_terminate_backend, a shutdown) is visible from then on, and a restart after a crash
 * makes all local commits visible. After a failover none of it ever happened. So a commit that was
 * interrupted is in doubt, and an answer that rests on a read is given after a barrier. docs/decisions/0014
 */

/**
 * The commit may be undone by a failover, or what was read may. Counts as unavailable: the same call may
 * succeed later.
 */
export class CommitInDoubt extends Error {
  /** statement_completion_unknown */
  readonly code = '40003';

  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'CommitInDoubt';
  }
}

/**
 * SQLSTATEs of the warnings with which SyncRepWaitForLSN ends a wait: after a cancel (`warning`), after a
 * terminate or a shutdown (`admin_shutdown`; the connection closes after it). Their words depend on
 * lc_messages. PostgreSQL, src/backend/replication/syncrep.c
 */
const BROKEN_OFF = new Set(['01000', '57P01']);
/** The function that gives them: others warn with 01000 too, such as an analyze that is not permitted. */
const WAIT = 'SyncRepWaitForLSN';

/** Connections whose wait for a standby was interrupted since they were last taken from their pool. */
const brokenOff = new WeakMap<pg.ClientBase, string>();

/** From now on notices on this connection are heard. */
export function watchCommits(client: pg.ClientBase): void {
  client.on('notice', ({ code, message, routine }) => {
    // What does not say where it is from, may be from there.
    if (code === undefined || !BROKEN_OFF.has(code) || (routine ?? WAIT) !== WAIT) return;
    brokenOff.set(client, message ?? code);
  });
}

/** To be called when a connection is taken: what was said to an earlier user of it is over. */
export function forgetDoubt(client: pg.ClientBase): void {
  brokenOff.delete(client);
}

/** To be called after a commit. Throws CommitInDoubt when its wait for the standby was interrupted. */
export function throwIfInDoubt(client: pg.ClientBase): void {
  const said = brokenOff.get(client);
  if (said !== undefined) throw new CommitInDoubt(`the commit is not known to be on the standby: ${said}`);
}

/** Where something was read. */
export interface Ground {
  /** True when commits there wait for a standby. */
  readonly waits: boolean;
  /**
   * When that PostgreSQL was started: after a failover another one answers, whose commits say nothing about
   * the first.
   */
  readonly server: string;
}

/** Columns of a Ground. */
export const GROUND = `current_setting('synchronous_standby_names') <> '' as waits, pg_postmaster_start_time()::text as server`;

/**
 * Writes to the log and commits, and so waits for the standby; returns the column `server`. What does not
 * wait: a read, and pg_current_xact_id() alone.
 */
export const BARRIER = `select pg_postmaster_start_time()::text as server
  from pg_logical_emit_message(true, 'acuse.barrier', '')`;

/** How long a caller waits for a barrier (ms); statement_timeout does not end such a wait. */
const BARRIER_TIMEOUT_MS = 3_000;

export interface Barrier {
  /**
   * Resolves once the standby has all that was visible there when this was called; at once where nothing
   * waits for a standby. Throws CommitInDoubt when that is not known in time.
   */
  passed(ground: Ground): Promise<void>;
}

/** `send` runs BARRIER. Callers that came before it is sent share one, and one is under way at a time. */
export function createBarrier(send: () => Promise<string>, timeoutMs = BARRIER_TIMEOUT_MS): Barrier {
  let underWay: Promise<unknown> = Promise.resolve();
  let gathering: Promise<string> | null = null;

  function next(): Promise<string> {
    gathering ??= underWay.then(() => {
      gathering = null;
      const sent = send();
      underWay = sent.catch(() => {});
      return sent;
    });
    return gathering;
  }

  return {
    async passed(ground) {
      if (!ground.waits) return;
      const server = await within(next(), timeoutMs);
      if (server !== ground.server)
        throw new CommitInDoubt('the database that was read is not the one that answers now');
    },
  };
}

async function within(sent: Promise<string>, timeoutMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CommitInDoubt(`no standby confirmed within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([sent, late]);
  } catch (cause) {
    if (cause instanceof CommitInDoubt) throw cause;
    throw new CommitInDoubt('a read could not be confirmed', { cause });
  } finally {
    clearTimeout(timer);
    // Nobody may be left to hear of a failure that comes late.
    sent.catch(() => {});
  }
}
