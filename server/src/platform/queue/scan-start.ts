import type { Clock } from '../clock.ts';

/**
 * Where scans of a queue begin. Dead index entries remain until vacuum, which an old snapshot (a dump, a
 * forgotten transaction) can block, and a full scan steps over all of them. When that takes long, most scans
 * begin just before the oldest live row of the last scan. Rows that appear below (a slow commit, a slow
 * clock) are found by the next full scan, which runs rarely.
 */
interface ScanStart {
  /**
   * `ask` gets the start (null: the beginning) and returns the oldest due time found (null: none) and the
   * time that PostgreSQL took (ms); absent: measured here.
   */
  look<Found extends { readonly oldest: Date | null; readonly tookMs?: number }>(
    now: Date,
    ask: (from: Date | null) => Promise<Found>,
  ): Promise<Found>;
  /** Start of claims: the last scan found nothing below. Null: the beginning. */
  readonly mark: Date | null;
}

/** Commits that began longer ago are not expected (ms). */
const LAG_MS = 2_000;
/** A full scan that takes longer has many dead entries (ms). */
const LONG_MS = 5;
/** Full scans take at most 1/20 of the time. */
const APART = 20;
/** Longest pause between full scans (ms): one slow scan may be a stalled machine. */
const MOST_APART_MS = 10_000;

export function createScanStart(clock: Clock): ScanStart {
  let mark: Date | null = null;
  let fullAtMs = Number.NEGATIVE_INFINITY;
  return {
    async look(now, ask) {
      const startedMs = clock.monotonicMs();
      const from = startedMs >= fullAtMs ? null : mark;
      const found = await ask(from);
      const endedMs = clock.monotonicMs();
      const tookMs = found.tookMs ?? endedMs - startedMs;
      if (from === null)
        fullAtMs = tookMs < LONG_MS ? startedMs : endedMs + Math.min(APART * tookMs, MOST_APART_MS);
      const oldestMs = Math.min(found.oldest?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
      const markMs = Math.max(oldestMs - LAG_MS, from?.getTime() ?? Number.NEGATIVE_INFINITY);
      mark = fullAtMs <= endedMs && from === null ? null : new Date(markMs);
      return found;
    },
    get mark() {
      return mark;
    },
  };
}
