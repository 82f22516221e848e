import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from './db.ts';
import { DatabaseAway, READ_ONLY, reasonOf } from './failures.ts';
import { connectToPrimary, HostFailed } from './hosts.ts';

/**
 * Waits for a database that is starting, recovering, refusing connections or not resolvable yet. Any other
 * error is final: a wrong password, no such database.
 */
interface AwaitDatabaseOptions {
  readonly waitMs: number;
  onWaiting(reason: string): void;
  readonly signal?: AbortSignal;
}

const RETRY_MS = 250;
const TELL_EVERY_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

const STARTING = new Set([
  // cannot_connect_now (it starts, recovers or stops), admin_shutdown, crash_shutdown, too_many_connections.
  ...['57P03', '57P01', '57P02', '53300'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  // A standby, which may be promoted; or none of several hosts is the primary yet.
  ...[READ_ONLY, '08001'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
]);

/** Resolves once a connection succeeds. Throws DatabaseAway after the wait, and final errors at once. */
export async function awaitDatabase(connectionString: string, options: AwaitDatabaseOptions): Promise<void> {
  const { waitMs, signal } = options;
  const startedMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const error = await tryToConnect(connectionString);
    if (error === null) return;
    if (!isStarting(error)) throw error;
    const nowMs = performance.now();
    if (nowMs - startedMs >= waitMs) throw new DatabaseAway(waitMs, error);
    if (nowMs - toldMs >= TELL_EVERY_MS) {
      options.onWaiting(reasonOf(error));
      toldMs = nowMs;
    }
    signal?.throwIfAborted();
    await sleep(RETRY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

async function tryToConnect(connectionString: string): Promise<unknown> {
  try {
    const client = await connectToPrimary(connectionString, {
      application_name: 'acuse:start',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    await client.end().catch(() => {});
    return null;
  } catch (error) {
    return error;
  }
}

function isStarting(error: unknown): boolean {
  const { cause, code, message } = error as { cause?: unknown; code?: string; message?: string };
  const { syscall } = (error instanceof HostFailed ? cause : error) as { syscall?: string };
  if (code !== undefined && STARTING.has(code)) return true;
  // A missing Unix socket; a missing certificate file is a different error.
  if (code === 'ENOENT') return syscall === 'connect';
  return /\b(Connection terminated|timeout expired)/.test(message ?? '');
}

export async function databaseAnswers(db: Queryable, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  const answered = db.query('select 1').then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
