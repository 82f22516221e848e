import type { Clock } from '../clock.ts';

/** Visits many rows in turn, a few with each call: ten thousand take two seconds. */
interface RoundRobin<Row> {
  /** `after`: null at the beginning. */
  next(ask: (after: Row | null, limit: number) => Promise<Row[]>): Promise<Row[]>;
}

const LEAST = 128;
const PER_MS = 6;
const MOST = 3_000;

export function createRoundRobin<Row>(clock: Clock): RoundRobin<Row> {
  let after: Row | null = null;
  let lastMs = clock.monotonicMs();
  return {
    async next(ask) {
      const nowMs = clock.monotonicMs();
      const limit = Math.min(Math.max(LEAST, Math.floor(PER_MS * (nowMs - lastMs))), MOST);
      lastMs = nowMs;
      const rows = await ask(after, limit);
      after = rows.length < limit ? null : rows.at(-1)!;
      return rows;
    },
  };
}
