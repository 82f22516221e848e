import type { Query } from '../api/client.ts';
import { daysAgo } from '../format/clock.ts';
import { isMoment } from '../format/days.ts';
import { oneOf, type Parameter } from './search.ts';

/** The period whose rows a list shows, as the address holds it: the last days, or from a day to a day. */
export const PERIODS = ['1', '7', '30', '90', '365', 'all'] as const;
export type Days = (typeof PERIODS)[number];

export interface Period {
  readonly days: Days;
  /** One of these replaces `days`. */
  readonly created_after: string;
  readonly created_before: string;
}

/** A time in UTC; the empty text: none. */
export const MOMENT: Parameter<string> = {
  fallback: '',
  read: (given) => (isMoment(given) ? given : undefined),
  write: (value) => value,
};

export function periodSchema(days: Days) {
  return { days: oneOf(PERIODS, days), created_after: MOMENT, created_before: MOMENT };
}

export const ALL_TIME: Period = { days: 'all', created_after: '', created_before: '' };

export function hasDates({ created_after: after, created_before: before }: Period): boolean {
  return after !== '' || before !== '';
}

/** True if it is another than `days`, the one that the list begins with. */
export function isPeriod(period: Period, days: Days = 'all'): boolean {
  return period.days !== days || hasDates(period);
}

export function periodQuery(period: Period): Query {
  if (hasDates(period)) return { created_after: period.created_after, created_before: period.created_before };
  return { created_after: period.days === 'all' ? '' : daysAgo(Number(period.days) - 1) };
}
