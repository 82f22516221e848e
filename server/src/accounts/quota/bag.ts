import { type ApiError, apiError } from '../../errors.ts';

/** Independent of each other. */
export type Bag = 'certified' | 'plain';

export function monthOf(at: Date): string {
  const ms = at.getTime();
  if (ms < lately.fromMs || ms >= lately.untilMs) lately = readMonth(at);
  return lately.text;
}

/** Cached: nearly all sends ask for the present month. */
let lately = readMonth(new Date(0));

function readMonth(at: Date): { fromMs: number; untilMs: number; text: string } {
  const text = `${at.toISOString().slice(0, 7)}-01`;
  return { fromMs: Date.parse(text), untilMs: nextMonth(at).getTime(), text };
}

export function nextMonth(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
}

export function quotaExceeded(bag: Bag, at: Date): ApiError {
  return apiError(
    'quota_exceeded',
    `Monthly "${bag}" quota exhausted; it resets at ${nextMonth(at).toISOString()}. To send more before then, ask the operator to raise it.`,
  );
}
