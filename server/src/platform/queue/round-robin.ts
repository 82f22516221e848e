import type { Clock } from '../clock.ts';

/** Visits many keys in turn, a few with each call: ten thousand take two seconds. */
export interface RoundRobin<Key> {
  next<Row>(ask: (after: Key, limit: number) => Promise<Row[]>, keyOf: (row: Row) => Key): Promise<Row[]>;
}

const LEAST = 128;
const PER_MS = 6;
const MOST = 3_000;

export function createRoundRobin<Key>(clock: Clock, before: Key): RoundRobin<Key> {
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
