import type { BounceReason } from '@acuse/mail/reply/reasons';
import type { DayCounts, ReasonCount } from './store.ts';

/** The specification sets the second. */
export const RATES_DAYS_MAX = 366;
export const RATES_DAYS_DEFAULT = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;

const COUNTERS = ['ingested', 'sent', 'deferred', 'bounced', 'complained', 'sealed'] as const;
type Counters = Record<(typeof COUNTERS)[number], number>;

type ReasonShares = { reason: BounceReason | null; messages: number; share: number }[];

export interface Rates {
  days: number;
  from: string;
  to: string;
  counters: Counters;
  rates: Record<'delivery' | 'deferral' | 'bounce' | 'complaint' | 'seal', number | null>;
  daily: (Counters & { date: string })[];
  bounce_reasons: ReasonShares;
  deferral_reasons: ReasonShares;
}

export function windowOf(days: number, now: Date): string[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return Array.from({ length: days }, (_, at) =>
    new Date(today - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Every day is present. Pure. */
export function toRates(
  window: readonly string[],
  counts: readonly DayCounts[],
  reasons: readonly ReasonCount[] = [],
  deferrals: readonly ReasonCount[] = [],
): Rates {
  const byDay = new Map(counts.map((row) => [row.day, row]));
  const daily = window.map((date) => ({ date, ...pick(byDay.get(date)) }));
  const counters = daily.reduce<Counters>((sum, day) => addUp(sum, day), pick(undefined));
  const certified = counts.reduce((sum, row) => sum + row.ingested_certified, 0);
  return {
    days: window.length,
    from: window[0]!,
    to: window.at(-1)!,
    counters,
    rates: {
      delivery: fraction(counters.sent, counters.ingested),
      deferral: fraction(counters.deferred, counters.ingested),
      bounce: fraction(counters.bounced, counters.ingested),
      complaint: fraction(counters.complained, counters.sent),
      seal: fraction(counters.sealed, certified),
    },
    daily,
    bounce_reasons: sharesOf(reasons),
    deferral_reasons: sharesOf(deferrals),
  };
}

function sharesOf(counts: readonly ReasonCount[]): ReasonShares {
  const all = counts.reduce((sum, { messages }) => sum + messages, 0);
  return counts.map(({ reason, messages }) => ({
    reason: reason as BounceReason | null,
    messages,
    share: messages / all,
  }));
}

function pick(row: DayCounts | undefined): Counters {
  return Object.fromEntries(COUNTERS.map((name) => [name, row?.[name] ?? 0])) as Counters;
}

function addUp(sum: Counters, day: Counters): Counters {
  return Object.fromEntries(COUNTERS.map((name) => [name, sum[name] + day[name]])) as Counters;
}

/** At most 1: sent messages may have been ingested earlier. */
function fraction(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, part / whole);
}
