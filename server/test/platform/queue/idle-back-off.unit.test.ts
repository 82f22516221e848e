import { PATIENCE } from '@acuse/testkit/eventually';
import { expect, test, vi } from 'vitest';
import { watchLoopLag } from '../../../src/platform/http/shedding.ts';
import { createIdleBackOff, createWait, IDLE_POLL_MS } from '../../../src/platform/queue/idle-back-off.ts';
import { createLeases } from '../../../src/platform/queue/leases.ts';
import { createLoop } from '../../../src/platform/queue/loop.ts';

function makeClock() {
  let ms = 0;
  return {
    monotonicMs: () => ms,
    now: () => new Date(ms),
    forward(by: number) {
      ms += by;
    },
  };
}

test('looks become rare after ten seconds without work, and usual again with the first', () => {
  const clock = makeClock();
  const quiet = createIdleBackOff(clock, () => true);
  expect(quiet.waitMs(500)).toBe(500);
  clock.forward(9_999);
  expect(quiet.waitMs(500)).toBe(500);
  clock.forward(1);
  expect(quiet.waitMs(500)).toBe(IDLE_POLL_MS);
  expect(quiet.waitMs(60_000)).toBe(60_000);
  quiet.stir();
  expect(quiet.waitMs(500)).toBe(500);
});

test('while others may bring work, nobody looks less often', () => {
  const clock = makeClock();
  let alone = false;
  const quiet = createIdleBackOff(clock, () => alone);
  clock.forward(3_600_000);
  expect(quiet.waitMs(500)).toBe(500);
  alone = true;
  expect(quiet.waitMs(500)).toBe(IDLE_POLL_MS);
});

test('who waits is called back once, unless taken back', () => {
  const quiet = createIdleBackOff(makeClock(), () => true);
  const called = vi.fn();
  const taken = vi.fn();
  quiet.onceStirred(called);
  quiet.onceStirred(taken)();
  quiet.stir();
  quiet.stir();
  expect([called, taken].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

test('a pause lengthens a wait, and one that is over does not', async () => {
  vi.useFakeTimers();
  try {
    const waited = async (pauseMs: number) => {
      const began = Date.now();
      const wait = createWait(undefined).between(50, pauseMs);
      await vi.runAllTimersAsync();
      await wait;
      return Date.now() - began;
    };
    expect(await waited(-600_000)).toBe(50);
    expect(await waited(20)).toBe(50);
    expect(await waited(200)).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test('work for one loop has the others look at once', async () => {
  const clock = makeClock();
  const quiet = createIdleBackOff(clock, () => true);
  const looks = { one: 0, other: 0 };
  const make = (name: keyof typeof looks) =>
    createLoop<never, never>({
      name,
      clock,
      log: { warn() {}, error() {} },
      shards: async () => {
        looks[name]++;
        return [];
      },
      claim: async () => [],
      leases: createLeases<never>({
        ...{ clock, name, log: { warn() {}, error() {} } },
        keyOf: (item) => item,
        extend: async () => new Set(),
      }),
      act: () => Promise.reject(new Error('nothing to do')),
      record: async () => {},
      concurrency: 1,
      // Nobody looks twice in this test but for what stirs them.
      pollMs: 1_000_000,
      idleBackOff: { ...quiet, waitMs: () => 2_000_000 },
    });
  const [one, other] = [make('one'), make('other')];
  one.start();
  other.start();
  await vi.waitFor(() => expect(looks).toEqual({ one: 1, other: 1 }), PATIENCE);
  await new Promise(setImmediate);
  one.wake();
  await vi.waitFor(() => expect(looks).toEqual({ one: 2, other: 2 }), PATIENCE);
  await Promise.all([one.stop(0), other.stop(0)]);
});

test('the event loop is watched while somebody is served, and not for longer', () => {
  vi.useFakeTimers();
  try {
    const lag = watchLoopLag();
    expect(vi.getTimerCount()).toBe(0);
    expect(lag.lateMs()).toBe(0);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(4_900);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(200);
    expect(vi.getTimerCount()).toBe(0);
    lag.lateMs();
    expect(vi.getTimerCount()).toBe(1);
    lag.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
