import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/db.ts';
import type { Log } from '../platform/logger.ts';
import { insertMail, type NewSandboxMail, pruneMail } from './store.ts';

/** Newest messages kept; older ones are deleted once as many again have arrived. */
const KEPT_MAIL = 50_000;
const PRUNE_EVERY = 1_000;
/** After mail that came together, more is expected for so long (ms). */
const BUSY_FOR_MS = 50;
/** Then what comes waits so long for others (ms). */
const GATHER_MS = 5;

/**
 * Mail that arrives while one insert is under way shares the next: a commit costs the same for one as for
 * many. As each connection sends its next mail only once it was answered, what was answered together comes
 * again within a moment, one by one: it is gathered.
 */
export function createMailWriter({
  db,
  clock,
  log,
}: {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
}): (mails: readonly NewSandboxMail[]) => Promise<void> {
  let waiting: { mails: readonly NewSandboxMail[]; resolve(): void; reject(error: unknown): void }[] = [];
  let writing = false;
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  let sincePrune = 0;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      if (clock.monotonicMs() < busyUntilMs) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      const group = waiting;
      waiting = [];
      if (group.length > 1) busyUntilMs = clock.monotonicMs() + BUSY_FOR_MS;
      const mails = group.flatMap((item) => item.mails);
      try {
        await insertMail(db, mails);
        for (const item of group) item.resolve();
      } catch (error) {
        for (const item of group) item.reject(error);
      }
      sincePrune += mails.length;
    }
    writing = false;
    if (sincePrune >= PRUNE_EVERY) {
      sincePrune = 0;
      await pruneMail(db, KEPT_MAIL).catch((error) =>
        log.warn({ err: error }, 'pruning the sandbox mailbox failed'),
      );
    }
  }

  return (mails) =>
    new Promise((resolve, reject) => {
      waiting.push({ mails, resolve, reject });
      if (!writing) void write();
    });
}
