/** As `work`, but rejects when it takes too long; the work itself continues. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T>;

interface Waiting {
  readonly dueMs: number;
  reject(error: unknown): void;
}

/**
 * One limit for much work: of all that is under way, the first is due first, so one timer is enough. Made for
 * thousands of calls a second, each of which would else make and clear a timer of its own.
 */
export function createTimeLimit(limitMs: number, lateError: () => unknown): TimeLimit {
  /** In the order in which they are due. */
  const waiting = new Set<Waiting>();
  let scheduled = false;

  /** Left running when all is done in time: it looks once more, finds nothing and ends. */
  function look(): void {
    scheduled = false;
    const nowMs = performance.now();
    for (const each of waiting) {
      if (each.dueMs > nowMs) {
        schedule(each.dueMs - nowMs);
        return;
      }
      waiting.delete(each);
      each.reject(lateError());
    }
  }

  function schedule(inMs: number): void {
    if (scheduled) return;
    scheduled = true;
    // Timers may come a little early.
    setTimeout(look, inMs + 1).unref();
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const own: Waiting = { dueMs: performance.now() + limitMs, reject };
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
