import type pg from 'pg';

/**
 * A primary may show data that its synchronous standby does not have: a commit whose wait was interrupted
 * (pg_cancel_backend, pg_terminate_backend, a shutdown) becomes visible, and so do local commits after a
 * crash. A failover undoes them. So an interrupted commit is in doubt, and reads are followed by a barrier.
 * docs/decisions/0014
 */

/** A failover may undo the commit, or the data that was read. Counts as unavailable: a retry may succeed. */
export class CommitInDoubt extends Error {
  /** statement_completion_unknown */
  readonly code = '40003';

  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'CommitInDoubt';
  }
}

/**
 * SQLSTATEs of the warnings that end a wait in SyncRepWaitForLSN: after a cancel (`warning`), after a
 * terminate or shutdown (`admin_shutdown`). Their texts depend on lc_messages. PostgreSQL,
 * src/backend/replication/syncrep.c
 */
const BROKEN_OFF = new Set(['01000', '57P01']);
/** The function that raises them; others raise 01000 too, such as an analyze without permission. */
const WAIT = 'SyncRepWaitForLSN';

/** Connections whose wait was interrupted since they were taken from the pool. */
const brokenOff = new WeakMap<pg.ClientBase, string>();

export function watchCommits(client: pg.ClientBase): void {
  client.on('notice', ({ code, message, routine }) => {
    // Without its origin a notice may be one of these.
    if (code === undefined || !BROKEN_OFF.has(code) || (routine ?? WAIT) !== WAIT) return;
    brokenOff.set(client, message ?? code);
  });
}

export function forgetDoubt(client: pg.ClientBase): void {
  brokenOff.delete(client);
}

export function throwIfInDoubt(client: pg.ClientBase): void {
  const said = brokenOff.get(client);
  if (said !== undefined) throw new CommitInDoubt(`the commit is not known to be on the standby: ${said}`);
}

export interface Ground {
  readonly waits: boolean;
  /**
   * Start time of that PostgreSQL. After a failover another one answers, whose commits say nothing about the
   * first.
   */
  readonly server: string;
}

/** Columns of a Ground. */
export const GROUND = `current_setting('synchronous_standby_names') <> '' as waits, pg_postmaster_start_time()::text as server`;

/**
 * Writes WAL and commits, so that it waits for the standby. A read or pg_current_xact_id() alone would not
 * wait.
 */
export const BARRIER = `select pg_postmaster_start_time()::text as server
  from pg_logical_emit_message(true, 'acuse.barrier', '')`;

/** Longest wait for a barrier (ms); statement_timeout does not end it. */
const BARRIER_TIMEOUT_MS = 3_000;

export interface Barrier {
  /**
   * Resolves once the standby has all that was visible; at once without a standby. Throws CommitInDoubt on
   * time-out.
   */
  passed(ground: Ground): Promise<void>;
}

/** `send` runs BARRIER. Waiting callers share one barrier, one at a time. */
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
    // It may fail after the last caller stopped waiting.
    sent.catch(() => {});
  }
}
