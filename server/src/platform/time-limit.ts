/** As `work`, but rejects when it takes too long; the work itself continues. */
type TimeLimit = <T>(work: Promise<T>) => Promise<T>;

interface Waiting {
  readonly dueMs: number;
  reject(error: unknown): void;
}

/** How often to check whether this process stood still (ms). */
const TICK_MS = 500;
/** A timer that is this late shows that the process stood still or was too busy (ms). */
const STOOD_STILL_MS = 100;

/**
 * One limit for many operations: whichever began first is due first, so one timer is enough. Made for
 * thousands of calls a second, each of which would otherwise make and clear a timer. Time in which this
 * process stood still (a busy machine, a migrated virtual one) does not count: the work may have stood still
 * as well, or its result has arrived and is not read yet.
 */
export function createTimeLimit(limitMs: number, lateError: () => unknown): TimeLimit {
  /** In the order in which they are due. */
  const waiting = new Set<Waiting>();
  let scheduled = false;
  let stoodStillMs = 0;

  const nowMs = () => performance.now() - stoodStillMs;

  /** Left running when all is done in time: it checks once more, finds nothing and ends. */
  function look(expectedMs: number): void {
    scheduled = false;
    const lateMs = nowMs() - expectedMs;
    if (lateMs > STOOD_STILL_MS) {
      stoodStillMs += lateMs;
      // Data that arrived meanwhile is read before anything is judged.
      if (waiting.size > 0) schedule(STOOD_STILL_MS);
      return;
    }
    const now = nowMs();
    for (const each of waiting) {
      if (each.dueMs > now) {
        schedule(each.dueMs - now);
        return;
      }
      waiting.delete(each);
      each.reject(lateError());
    }
  }

  function schedule(dueInMs: number): void {
    if (scheduled) return;
    scheduled = true;
    // Timers may come a little early.
    const inMs = Math.min(dueInMs, TICK_MS) + 1;
    setTimeout(look, inMs, nowMs() + inMs).unref();
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const own: Waiting = { dueMs: nowMs() + limitMs, reject };
      waiting.add(own);
      schedule(limitMs);
      work.then(
        (value) => {
          waiting.delete(own);
          resolve(value);
        },
        (error: unknown) => {
          waiting.delete(own);
          reject(error);
        },
      );
    });
}
