import { type ApiError, apiError } from '../../errors.ts';

/** The two quotas of a month; exhausting one leaves the other alone. */
export type Bag = 'certified' | 'plain';

/** The UTC calendar month that a quota counts in, as its first day: YYYY-MM-01. */
export function monthOf(at: Date): string {
  const ms = at.getTime();
  if (ms < lately.fromMs || ms >= lately.untilMs) lately = readMonth(at);
  return lately.text;
}

/** The month that was asked for last: every send asks, several times, and nearly all for one. */
let lately = readMonth(new Date(0));

function readMonth(at: Date): { fromMs: number; untilMs: number; text: string } {
  const text = `${at.toISOString().slice(0, 7)}-01`;
  return { fromMs: Date.parse(text), untilMs: nextMonth(at).getTime(), text };
}

/** When the month after that of `at` begins. */
export function nextMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
}

export function quotaExceeded(bag: Bag, at: Date): ApiError {
  return apiError(
    'quota_exceeded',
    `Monthly "${bag}" quota exhausted; it resets at ${nextMonth(at).toISOString()}. To send more before then, ask the operator to raise it.`,
  );
}
