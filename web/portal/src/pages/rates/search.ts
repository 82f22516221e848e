import type { Query } from '../../../../shared/api/client.ts';
import { daysAgo, elapsedMs, hoursAgo } from '../../../../shared/format/clock.ts';
import { RATES_WINDOWS, type RatesWindow } from '../../../../shared/rates/window.ts';
import { MOMENT } from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

const HOURS = ['1h', '24h'] as const;
export const SPANS = [...HOURS, ...RATES_WINDOWS] as const;
type Span = (typeof SPANS)[number];

export interface Search {
  readonly days: Span;
  /** Both replace `days`. */
  readonly created_after: string;
  readonly created_before: string;
  readonly destination: string;
  readonly sending_domain: string;
  readonly tag: string;
}

export const searchSchema: SearchSchema<Search> = {
  days: oneOf(SPANS, '14'),
  created_after: MOMENT,
  created_before: MOMENT,
  destination: text(),
  sending_domain: text(),
  tag: text(),
};

export const NARROWED = ['destination', 'sending_domain', 'tag'] as const;
export type Narrowed = (typeof NARROWED)[number];

export const hasTimes = ({ created_after: after, created_before: before }: Search) =>
  after !== '' && before !== '';

/** The API's limit. */
export const DAYS_MAX = 92;

/** Why the chosen times do not do; null: they do. */
export function timesProblem(search: Search): 'wrong' | 'long' | null {
  if (!hasTimes(search)) return null;
  const length = elapsedMs(search.created_after, search.created_before);
  if (length <= 0) return 'wrong';
  return length > DAYS_MAX * 86_400_000 ? 'long' : null;
}

/** Days that are counted as they pass, of the whole account; null: another time, or some of its messages. */
export function wholeDays(search: Search): RatesWindow | null {
  if (hasTimes(search) || NARROWED.some((name) => search[name] !== '')) return null;
  return RATES_WINDOWS.find((each) => each === search.days) ?? null;
}

/** As the parameters of `GET /rates/period`, at this moment. */
export function toQuery(search: Search): Query {
  const named = Object.fromEntries(
    NARROWED.flatMap((name) => (search[name] === '' ? [] : [[name, search[name]]])),
  );
  return { ...named, ...timesOf(search) };
}

function timesOf({ days, created_after: after, created_before: before, ...rest }: Search): Query {
  if (hasTimes({ days, created_after: after, created_before: before, ...rest }))
    return { created_after: after, created_before: before };
  if (days === '1h' || days === '24h') return { created_after: hoursAgo(days === '1h' ? 1 : 24) };
  return { created_after: daysAgo(Number(days) - 1) };
}

/** The list of messages with these filters, from a time to another. */
export function messagesPath(search: Search, from: string, to: string, status?: 'bounced'): string {
  const { destination, sending_domain: sender, tag } = search;
  const words = [
    ...(destination === '' ? [] : [`to:${destination}`]),
    ...(sender === '' ? [] : [`from:${sender}`]),
    ...(tag === '' ? [] : [`tag:"${tag}"`]),
  ];
  const filters = new URLSearchParams({
    ...(words.length > 0 && { q: words.join(' ') }),
    created_after: from,
    created_before: to,
    ...(status !== undefined && { status }),
  });
  return `/messages?${filters}`;
}
