import type { Clock } from './clock.ts';

/**
 * Asks all of many in turn, some with each look: so many that a round of ten thousand takes two seconds,
 * however often one looks.
 */
export interface Round<Key> {
  /** `ask` returns the next after `after`, up to `limit`. */
  next<Row>(ask: (after: Key, limit: number) => Promise<Row[]>, keyOf: (row: Row) => Key): Promise<Row[]>;
}

const LEAST = 128;
const PER_MS = 6;
const MOST = 3_000;

/** `before`: before every key. */
export function createRound<Key>(clock: Clock, before: Key): Round<Key> {
  let after = before;
  let lastMs = clock.monotonicMs();
  return {
    async next(ask, keyOf) {
      const nowMs = clock.monotonicMs();
      const limit = Math.min(Math.max(LEAST, Math.floor(PER_MS * (nowMs - lastMs))), MOST);
      lastMs = nowMs;
      const rows = await ask(after, limit);
      after = rows.length < limit ? before : keyOf(rows.at(-1)!);
      return rows;
    },
  };
}
