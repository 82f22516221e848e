import { describe, expect, it } from 'vitest';
import { monthOf } from '../../../src/accounts/quota/bag.ts';

describe('the month that a quota counts in', () => {
  const times: [string, string][] = [
    ['2026-11-01T00:00:00.000Z', '2026-11-01'],
    ['2026-11-30T23:59:59.999Z', '2026-11-01'],
    ['2026-12-01T00:00:00.000Z', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01'],
    ['2027-01-01T00:00:00.000Z', '2027-01-01'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01'],
    ['1970-01-01T00:00:00.000Z', '1970-01-01'],
  ];

  it('is that of UTC, in whatever order months are asked for', () => {
    for (const [first] of times)
      for (const [at, month] of times) {
        monthOf(new Date(first));
        expect(monthOf(new Date(at))).toBe(month);
        expect(monthOf(new Date(at))).toBe(month);
      }
  });
});
