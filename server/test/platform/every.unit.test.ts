import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from '../../src/platform/every.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** Runs that end when they are told to. */
function gated() {
  const open: (() => void)[] = [];
  let begun = 0;
  const run = () =>
    new Promise<void>((resolve) => {
      begun++;
      open.push(resolve);
    });
  return { run, endOne: () => open.shift()?.(), begun: () => begun };
}

test('has one run at a time, however many periods it takes', async () => {
  const work = gated();
  const repeating = every(1_000, work.run);
  repeating.start();
  repeating.start();
  expect(work.begun()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(work.begun()).toBe(1);
  work.endOne();
  await turn();
  vi.advanceTimersByTime(1_000);
  expect(work.begun()).toBe(2);
  work.endOne();
  await repeating.stop();
});

test('stop waits for the run under way, and none begins after it', async () => {
  const work = gated();
  const repeating = every(1_000, work.run, { atOnce: true });
  repeating.start();
  expect(work.begun()).toBe(1);
  let stopped = false;
  const stopping = repeating.stop().then(() => {
    stopped = true;
  });
  await turn();
  expect(stopped).toBe(false);
  work.endOne();
  await stopping;
  vi.advanceTimersByTime(10_000);
  expect(work.begun()).toBe(1);
  repeating.start();
  expect(work.begun()).toBe(2);
  work.endOne();
  await repeating.stop();
});

test.each([
  ['a promise that rejects', () => Promise.reject(new Error('away'))],
  [
    'a throw',
    () => {
      throw new Error('away');
    },
  ],
])('%s is told of, and the next run comes nevertheless', async (_, run) => {
  const told: unknown[] = [];
  const repeating = every(1_000, run, { onError: (error) => told.push(error) });
  repeating.start();
  for (let period = 0; period < 3; period++) {
    vi.advanceTimersByTime(1_000);
    await turn();
  }
  await repeating.stop();
  expect(told.map(String)).toEqual(['Error: away', 'Error: away', 'Error: away']);
});
