import type { Clock } from './clock.ts';

/**
 * Where looks into a queue begin. What was done leaves its entries in the index until vacuum may remove them,
 * which an old snapshot (a dump, a forgotten transaction) prevents for as long as it is open; a look from the
 * beginning steps over all of them. Once that takes long, most looks begin where the one before found the
 * oldest that is live, and a little earlier. What comes in below that all the same (a commit that took
 * longer, a clock that is behind) is found by the next look from the beginning: these are made for a small
 * share of the time.
 */
export interface LowWater {
  /**
   * `ask` gets where to begin (null: at the beginning) and returns when the oldest that it found is due
   * (null: it found nothing) and how long PostgreSQL took (ms); absent: as long as it seems from here, where
   * a process with much to do hears of the answer late.
   */
  look<Found extends { readonly oldest: Date | null; readonly tookMs?: number }>(
    now: Date,
    ask: (from: Date | null) => Promise<Found>,
  ): Promise<Found>;
  /** Where claims begin: below it the last look found nothing. Null: at the beginning. */
  readonly mark: Date | null;
}

/** Commits begun this long ago are not expected any more (ms). */
const LAG_MS = 2_000;
/** A look from the beginning that takes longer steps over much (ms); else it takes less than one. */
const LONG_MS = 5;
/** Such a look is made again once so many times what it took has passed: 5 %. */
const APART = 20;
/** Or after this time, if that is less: a machine that stood still made the look no longer (ms). */
const MOST_APART_MS = 10_000;

export function createLowWater(clock: Clock): LowWater {
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
