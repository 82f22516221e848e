import type { DbAndClock, Tx } from './db.ts';
import { readInOrder } from './read-in-order.ts';

/** Several readers share one query: cached briefly, and bounded by a database time-out. */
export interface SharedReadOptions<T> extends DbAndClock {
  read(tx: Tx): Promise<T>;
  maxAgeMs?: number;
}

/** Scrapes come every 10 s or less often; all metrics of one scrape share an answer. */
const MAX_AGE_MS = 5_000;
/** Below the time that a scrape waits, so that no query outlives its reader (ms). */
const STATEMENT_LIMIT_MS = 1_500;

/** Most rows that a metric or status counts. More shows as this number. */
export const COUNTED_MAX = 10_000;

export function createSharedRead<T>(options: SharedReadOptions<T>): () => Promise<T> {
  const { db, clock, maxAgeMs = MAX_AGE_MS } = options;
  let answer: { value: T; atMs: number } | null = null;
  let reading: Promise<T> | null = null;

  async function read(): Promise<T> {
    const atMs = clock.monotonicMs();
    const value = await db.observe(async (tx) => {
      await tx.execute(`set local statement_timeout = ${STATEMENT_LIMIT_MS}`);
      readInOrder(tx);
      return options.read(tx);
    });
    answer = { value, atMs };
    return value;
  }

  return async () => {
    if (answer !== null && clock.monotonicMs() - answer.atMs < maxAgeMs) return answer.value;
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}
