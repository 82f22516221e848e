import { useMemo } from 'react';
import { usePreferences } from '../app/preferences.tsx';
import type { Language } from '../words/words.ts';
import { daysAgo } from './clock.ts';

/** Dates, numbers and amounts as people of that language write them: the only Intl and Date of the pages. */
export interface Format {
  /** `22 nov 2026, 10:31 CST` in the reader's zone. */
  dateTime(iso: string): string;
  /** `22 nov, 10:31` in the reader's zone: in lists, whose rows are near each other in time. */
  short(iso: string): string;
  /** With seconds and thousandths: for timelines. */
  precise(iso: string): string;
  /** `22 nov 2026` in the reader's zone. */
  date(iso: string): string;
  /** `10:31` in the reader's zone. */
  time(iso: string): string;
  /** The same of a moment of this browser's (ms since 1970). */
  timeOf(ms: number): string;
  /** `2026-11-22 16:31:02 UTC`, as a time-stamp token has it. */
  utc(iso: string): string;
  /** `22 nov`: a day of a series that is counted in UTC. */
  utcDay(day: string): string;
  /** `22 nov, 16:31` in UTC, without saying so. */
  utcShort(iso: string): string;
  /** `November 2026` of `2026-11`. */
  utcMonth(month: string): string;
  /** `18:00`: when a UTC day begins where the reader is, today. */
  startOfUtcDay(): string;
  /** `00:00` as `time` writes it. */
  readonly midnight: string;
  /** `3 minutes ago`, `in 2 hours`. */
  relative(iso: string, nowMs?: number): string;
  /** `41 s`, `2 min 5 s`, `3 h`. */
  duration(ms: number): string;
  number(value: number): string;
  /** `98.2 %` of 0.982. */
  percent(share: number, digits?: number): string;
  bytes(size: number): string;
  /** `cents`: hundredths of the currency. */
  /** A currency that is not known is not named. */
  money(cents: number, currency: string | undefined): string;
  list(items: readonly string[]): string;
}

const LOCALES: Readonly<Record<Language, string>> = { es: 'es-MX', en: 'en-US' };
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const DURATIONS: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];
const MIDNIGHT = '00:00';
const AMOUNT: Intl.NumberFormatOptions = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const SIZES = ['B', 'KiB', 'MiB', 'GiB'];

export function createFormat(language: Language, timeZone: string): Format {
  const locale = LOCALES[language];
  const zone = knownZone(timeZone);
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, hourCycle: 'h23', ...options });
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const dateTime = dates({ ...day, ...clock, timeZoneName: 'short' });
  const short = dates({ month: 'short', day: 'numeric', ...clock });
  const precise = dates({ ...clock, second: '2-digit', fractionalSecondDigits: 3 });
  const date = dates(day);
  const time = dates(clock);
  const utcDay = dates({ month: 'short', day: 'numeric', timeZone: 'UTC' });
  const utcShort = dates({ month: 'short', day: 'numeric', ...clock, timeZone: 'UTC' });
  const utcMonth = dates({ year: 'numeric', month: 'long', timeZone: 'UTC' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const at = (formatter: Intl.DateTimeFormat) => (iso: string) => formatter.format(new Date(iso));
  const zoneName = zoneNames(zone);
  return {
    dateTime: (iso) =>
      dateTime
        .formatToParts(new Date(iso))
        .map(({ type, value }) => (type === 'timeZoneName' ? zoneName(iso) : value))
        .join(''),
    short: at(short),
    precise: at(precise),
    date: at(date),
    time: at(time),
    timeOf: (ms) => time.format(ms),
    utc: (iso) => `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    utcDay: (iso) => utcDay.format(new Date(`${iso.slice(0, 10)}T00:00:00Z`)),
    utcShort: at(utcShort),
    utcMonth: (month) => utcMonth.format(new Date(`${month.slice(0, 7)}-01T00:00:00Z`)),
    startOfUtcDay: () => time.format(Date.parse(daysAgo(0))),
    midnight: MIDNIGHT,
    relative(iso, nowMs = Date.now()) {
      const away = Date.parse(iso) - nowMs;
      const [unit, size] = UNITS.find(([, each]) => Math.abs(away) >= each) ?? ['second', 1000];
      return relative.format(Math.round(away / size), unit);
    },
    duration(ms) {
      if (ms < 1000) return `${number.format(Math.round(ms))} ms`;
      const from = DURATIONS.findIndex(([, size]) => ms >= size);
      const parts = DURATIONS.slice(from, from + 2).map(([unit, size], index) => {
        const whole = Math.floor((index === 0 ? ms : ms % DURATIONS[from]![1]) / size);
        return [whole, unit] as const;
      });
      return parts.flatMap(([value, unit]) => (value === 0 ? [] : [`${value} ${unit}`])).join(' ');
    },
    number: (value) => number.format(value),
    percent: (share, digits = 1) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share),
    bytes(size) {
      const power = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10));
      const shown = new Intl.NumberFormat(locale, { maximumFractionDigits: power === 0 ? 0 : 1 });
      return `${shown.format(size / 1024 ** power)} ${SIZES[power]}`;
    },
    money: (cents, currency) =>
      new Intl.NumberFormat(locale, currency === undefined ? AMOUNT : { style: 'currency', currency }).format(
        cents / 100,
      ),
    list: (items) => list.format(items),
  };
}

/**
 * `CST`, `PDT`: what clocks and timetables in Mexico say in either language, where Spanish formats have only
 * `GMT-6`. `GMT+1` of zones that have no such name.
 */
function zoneNames(timeZone: string): (iso: string) => string {
  const names = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' });
  return (iso) => names.formatToParts(new Date(iso)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** Form of the reader's language and zone. */
export function useFormat(): Format {
  const { language, timeZone } = usePreferences();
  return useMemo(() => createFormat(language, timeZone), [language, timeZone]);
}
