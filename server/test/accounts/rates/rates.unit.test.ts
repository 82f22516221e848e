import { describe, expect, test } from 'vitest';
import { toRates, windowOf } from '../../../src/accounts/rates/rates.ts';

const zero = {
  ingested: 0,
  ingested_certified: 0,
  sent: 0,
  deferred: 0,
  bounced: 0,
  complained: 0,
  sealed: 0,
};

describe('a window', () => {
  test('is so many UTC days, today the last', () => {
    expect(windowOf(1, new Date('2026-03-01T00:00:00.000Z'))).toEqual(['2026-03-01']);
    expect(windowOf(3, new Date('2026-03-01T23:59:59.999Z'))).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(windowOf(2, new Date('2024-03-01T12:00:00Z'))).toEqual(['2024-02-29', '2024-03-01']);
    const year = windowOf(366, new Date('2026-01-01T00:00:00Z'));
    expect(year).toHaveLength(366);
    expect(new Set(year).size).toBe(366);
    expect([year[0], year.at(-1)]).toEqual(['2025-01-01', '2026-01-01']);
  });

  test('knows no summer time', () => {
    const days = windowOf(14, new Date('2026-04-01T00:30:00Z'));
    expect(days).toHaveLength(14);
    expect(days[0]).toBe('2026-03-19');
  });
});

describe('rates', () => {
  test('are zeros and nulls where nothing was counted, with every day there', () => {
    const window = windowOf(3, new Date('2026-03-03T12:00:00Z'));
    const { ingested_certified: _, ...counters } = zero;
    expect(toRates(window, [])).toEqual({
      days: 3,
      from: '2026-03-01',
      to: '2026-03-03',
      counters,
      rates: { delivery: null, deferral: null, bounce: null, complaint: null, seal: null },
      daily: window.map((date) => ({ date, ...counters })),
      bounce_reasons: [],
      deferral_reasons: [],
    });
  });

  test('divide as the contract says', () => {
    const window = windowOf(3, new Date('2026-03-03T12:00:00Z'));
    const { counters, rates, daily } = toRates(window, [
      {
        ...zero,
        day: '2026-03-01',
        ingested: 6,
        ingested_certified: 4,
        sent: 3,
        deferred: 1,
        bounced: 1,
        sealed: 3,
      },
      { ...zero, day: '2026-03-03', ingested: 4, ingested_certified: 1, sent: 5, complained: 2, sealed: 1 },
    ]);
    expect(counters).toEqual({ ingested: 10, sent: 8, deferred: 1, bounced: 1, complained: 2, sealed: 4 });
    expect(rates).toEqual({
      delivery: 8 / 10,
      deferral: 1 / 10,
      bounce: 1 / 10,
      complaint: 2 / 8,
      seal: 4 / 5,
    });
    expect(daily.map(({ date, ingested, sent }) => [date, ingested, sent])).toEqual([
      ['2026-03-01', 6, 3],
      ['2026-03-02', 0, 0],
      ['2026-03-03', 4, 5],
    ]);
  });

  test('are fractions: what was ingested before the window makes none over 1', () => {
    const { rates } = toRates(
      ['2026-03-03'],
      [{ ...zero, day: '2026-03-03', ingested: 1, sent: 5, bounced: 2 }],
    );
    expect(rates).toMatchObject({ delivery: 1, bounce: 1, complaint: 0, seal: null });
  });
});
