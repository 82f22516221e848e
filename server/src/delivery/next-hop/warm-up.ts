/**
 * How an address gets a reputation: little on the first day, more after each good one. Pure.
 *
 * The steps are ours, not a receiver's: none publishes a schedule. They begin where nobody takes notice and
 * at most double, because a leap is what receivers answer with deferrals.
 */
export const WARM_UP_STEPS: readonly number[] = [
  ...[50, 100, 200, 400, 800, 1_500, 3_000, 5_000, 8_000],
  ...[12_000, 18_000, 27_000, 40_000, 60_000, 90_000, 135_000, 200_000],
];
/** Fewer answers say nothing about a receiver. */
export const ANSWERS_MIN = 20;
/** More turned away than this share, and the next day stays on the step. */
const HOLD_SHARE = 0.05;
/** More than this, and the day is over at once, and the next one is a step lower. */
const STOP_SHARE = 0.15;
/** A day that used less of its step proves nothing about the next one. */
export const USED_SHARE = 0.5;
/** An address that a receiver has not seen for so long starts over (ms). */
export const COLD_AFTER_MS = 30 * 86_400_000;

export interface DayCount {
  readonly step: number;
  readonly startsAt: Date;
  readonly taken: number;
  readonly answered: number;
  readonly turnedAway: number;
}

export function limitOf(steps: readonly number[], step: number): number | null {
  return steps[step] ?? null;
}

/** The step of a day that begins, by the last day with mail; null: there was none. */
export function nextStep(steps: readonly number[], before: DayCount | null, startsAt: Date): number {
  if (before === null || startsAt.getTime() - before.startsAt.getTime() > COLD_AFTER_MS) return 0;
  const { step, taken } = before;
  if (isStopped(before)) return Math.max(0, step - 1);
  if (isTurnedAway(before, HOLD_SHARE)) return step;
  const limit = limitOf(steps, step);
  return limit === null || taken < limit * USED_SHARE ? step : step + 1;
}

/** The receiver turned too much away: nothing more goes this day. */
export function isStopped(day: DayCount): boolean {
  return isTurnedAway(day, STOP_SHARE);
}

function isTurnedAway({ answered, turnedAway }: DayCount, share: number): boolean {
  return answered >= ANSWERS_MIN && turnedAway > answered * share;
}
