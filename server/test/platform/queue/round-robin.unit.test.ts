import { expect, test } from 'vitest';
import { createRoundRobin } from '../../../src/platform/queue/round-robin.ts';

/** The numbers from 1 to `last`, a page at a time, on a clock that only moves when it is told to. */
function start(last: number) {
  let ms = 0;
  const round = createRoundRobin<number>({ now: () => new Date(ms), monotonicMs: () => ms });
  return {
    pass(by: number) {
      ms += by;
    },
    next: () =>
      round.next(async (from, limit) => {
        const after = from ?? 0;
        return Array.from({ length: Math.min(limit, last - after) }, (_, n) => after + n + 1);
      }),
  };
}

test('everybody is asked, in order, again and again', async () => {
  const { next } = start(300);
  const asked = [await next(), await next(), await next(), await next()];
  expect(asked.map((page) => [page[0], page.at(-1)])).toEqual([
    [1, 128],
    [129, 256],
    [257, 300],
    [1, 128],
  ]);
});

test('who looks seldom asks more, up to a limit', async () => {
  const { next, pass } = start(100_000);
  pass(500);
  expect(await next()).toHaveLength(3_000);
  pass(100);
  expect(await next()).toHaveLength(600);
});

test('where the last page was full a round begins again after an empty one', async () => {
  const { next } = start(128);
  const asked = [await next(), await next(), await next()];
  expect(asked.map((page) => page.length)).toEqual([128, 0, 128]);
});
