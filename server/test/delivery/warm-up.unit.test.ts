import { describe, expect, test } from 'vitest';
import {
  ANSWERS_MIN,
  COLD_AFTER_MS,
  type DayCount,
  isStopped,
  limitOf,
  nextStep,
  WARM_UP_STEPS,
} from '../../src/delivery/next-hop/warm-up.ts';

const STEPS = [50, 100, 200];
const TODAY = new Date('2026-11-27T00:00:00Z');
const day = (change: Partial<DayCount> = {}): DayCount => ({
  ...{ step: 1, startsAt: new Date(TODAY.getTime() - 86_400_000), taken: 100, answered: 100, turnedAway: 0 },
  ...change,
});

describe('the step of a day', () => {
  const cases: [string, DayCount | null, number][] = [
    ['the first mail', null, 0],
    ['a good day', day(), 2],
    ['a day that used half', day({ taken: 50, answered: 50 }), 2],
    ['a day that used less', day({ taken: 49, answered: 49 }), 1],
    ['one in twenty turned away', day({ turnedAway: 5 }), 2],
    ['more turned away', day({ turnedAway: 6 }), 1],
    ['too much turned away', day({ turnedAway: 16 }), 0],
    ['too much on the first step', day({ step: 0, turnedAway: 16 }), 0],
    ['too few answers to say', day({ taken: 100, answered: ANSWERS_MIN - 1, turnedAway: 19 }), 2],
    ['the last step is used', day({ step: 2, taken: 200, answered: 200 }), 3],
    ['a day without a limit', day({ step: 3, taken: 0, answered: 5_000 }), 3],
    ['a bad day without a limit', day({ step: 3, taken: 0, answered: 100, turnedAway: 30 }), 2],
    ['a break of a week', day({ startsAt: new Date(TODAY.getTime() - 7 * 86_400_000) }), 2],
    ['cold again', day({ startsAt: new Date(TODAY.getTime() - COLD_AFTER_MS - 1) }), 0],
  ];
  test.each(cases)('after %s', (_, before, step) => expect(nextStep(STEPS, before, TODAY)).toBe(step));
});

test('a day is over when too much of it was turned away, and after the steps there is no limit', () => {
  expect([15, 16].map((turnedAway) => isStopped(day({ turnedAway })))).toEqual([false, true]);
  expect([0, 2, 3].map((step) => limitOf(STEPS, step))).toEqual([50, 200, null]);
});

test('the default plan never more than doubles', () => {
  for (const [at, step] of WARM_UP_STEPS.entries())
    if (at > 0) expect(step / WARM_UP_STEPS[at - 1]!).toBeLessThanOrEqual(2);
});
