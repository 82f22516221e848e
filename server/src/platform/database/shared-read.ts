import type { Clock } from '../clock.ts';
import type { Db, Queryable } from './db.ts';
import { readInOrder } from './read-in-order.ts';

/**
 * Several readers of one look-up over the database: asked once, kept for a moment, and ended by the database
 * itself when it takes too long.
 */
export interface SharedReadOptions<T> {
  db: Db;
  clock: Clock;
  read(db: Queryable): Promise<T>;
  /** How old an answer may be (ms). */
  maxAgeMs?: number;
}

/** Scrapes come every 10 s or less often; two scrapers, and all metrics of one scrape, share an answer. */
const MAX_AGE_MS = 5_000;
/**
 * Under the time that a scrape waits for a metric, so that no look-up continues when nobody waits for it any
 * more (ms).
 */
const STATEMENT_LIMIT_MS = 1_500;

/**
 * Rows that a metric or a status counts at most: some milliseconds. What there is more of than that shows as
 * so many.
 */
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
