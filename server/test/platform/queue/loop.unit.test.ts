import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@acuse/testkit/eventually';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLeases, type LeasesOptions } from '../../../src/platform/queue/leases.ts';
import { createLoop, type LoopOptions } from '../../../src/platform/queue/loop.ts';

const log = { error() {}, warn() {} };

/** A queue in memory under the real loop: what is tested here is who gets a turn, and what is recorded. */
function loopOver(
  queues: Record<string, number>,
  options: Partial<LoopOptions<string, string>> = {},
  leased: Partial<LeasesOptions<string>> = {},
) {
  const left = new Map(Object.entries(queues));
  const recorded: string[] = [];
  const loop = createLoop<string, string>({
    name: 'test',
    clock: systemClock,
    log,
    shards: async () => [...left].filter(([, count]) => count > 0).map(([shard]) => shard),
    async claim(shard, limit) {
      const taken = Math.min(limit, left.get(shard) ?? 0);
      const first = queues[shard]! - (left.get(shard) ?? 0);
      left.set(shard, (left.get(shard) ?? 0) - taken);
      return Array.from({ length: taken }, (_, at) => `${shard}${first + at}`);
    },
    leases: createLeases<string>({
      ...{ clock: options.clock ?? systemClock, log, name: 'test' },
      keyOf: (item) => item,
      extend: async (items) => new Set(items),
      ...leased,
    }),
    act: async (item) => item,
    async record(group) {
      recorded.push(...group);
    },
    concurrency: 4,
    pollMs: 5,
    ...options,
  });
  return { loop, recorded };
}

test('a flood in one shard leaves the others their turns', async () => {
  const { loop, recorded } = loopOver(
    { a: 1_000, b: 1, c: 1 },
    { perTurn: 4, act: (item) => sleep(2, item) },
  );
  loop.start();
  await eventually(() => recorded.includes('b0') && recorded.includes('c0'));
  for (const single of ['b0', 'c0']) expect(recorded.indexOf(single)).toBeLessThan(40);
  await loop.stop();
});

test('a result that cannot be written stops no other, and one that the database was away for is kept', async () => {
  let away = 3;
  const written: string[] = [];
  const { loop } = loopOver(
    { a: 10 },
    {
      concurrency: 10,
      async record(group) {
        if (away-- > 0) throw Object.assign(new Error('away'), { code: '57P01' });
        if (group.includes('a7')) throw Object.assign(new Error('refused'), { code: '23514' });
        written.push(...group);
      },
    },
  );
  loop.start();
  await eventually(() => written.length === 9);
  expect(written).not.toContain('a7');
  await loop.stop();
});

test('a stop waits for work under way and records it', async () => {
  const { loop, recorded } = loopOver({ a: 4 }, { act: (item) => sleep(100, item) });
  loop.start();
  await eventually(() => loop.active === 4);
  await loop.stop();
  expect(recorded).toHaveLength(4);
});

test('a throw in act loses nothing but that turn', async () => {
  const { loop, recorded } = loopOver(
    { a: 3 },
    {
      act: async (item) => {
        if (item === 'a1') throw new Error('fault');
        return item;
      },
    },
  );
  loop.start();
  await eventually(() => recorded.length === 2);
  await loop.stop();
});

/** Longer than any test: whoever waits for it fails. */
const NEVER_MS = 600_000;

test('results that come while others are at work are written together, and the last of them waits for nobody', async () => {
  const ends = new Map<string, () => void>();
  const groups: string[][] = [];
  const { loop } = loopOver(
    { a: 3 },
    {
      gatherMs: NEVER_MS,
      act: (item) => new Promise((resolve) => ends.set(item, () => resolve(item))),
      record: async (group) => void groups.push(group),
    },
  );
  loop.start();
  await eventually(() => loop.active === 3);
  for (const [left, item] of [
    [2, 'a0'],
    [1, 'a1'],
  ] as const) {
    ends.get(item)?.();
    await eventually(() => loop.active === left);
    expect(groups).toEqual([]);
  }
  ends.get('a2')?.();
  await eventually(() => groups.length > 0);
  expect(groups).toEqual([['a0', 'a1', 'a2']]);
  await loop.stop();
});

test('a result waits for work that does not end no longer than it may, and not at all at a stop', async () => {
  const endless = (item: string) => (item === 'a0' ? Promise.resolve(item) : new Promise<string>(() => {}));
  const patient = loopOver({ a: 2 }, { gatherMs: 1, act: endless });
  patient.loop.start();
  await eventually(() => patient.recorded.length === 1);
  await patient.loop.stop(0);

  const stopped = loopOver({ a: 2 }, { gatherMs: NEVER_MS, act: endless });
  stopped.loop.start();
  await eventually(() => stopped.loop.active === 1);
  expect(stopped.recorded).toEqual([]);
  await stopped.loop.stop(0);
  expect(stopped.recorded).toEqual(['a0']);
});

test('nothing is claimed or begun while results cannot be written, and all of it once they can', async () => {
  let away = true;
  let begun = 0;
  let tries = 0;
  const { loop, recorded } = loopOver(
    { a: 1_000 },
    {
      concurrency: 20,
      async act(item) {
        begun++;
        return item;
      },
      async record(group) {
        tries++;
        if (away) throw Object.assign(new Error('away'), { code: '57P01' });
        recorded.push(...group);
      },
    },
  );
  loop.start();
  await eventually(() => tries >= 3);
  const before = begun;
  await sleep(300);
  // Those that were claimed before the first record failed, and not one more.
  expect([loop.heldUp, begun <= 40, begun - before]).toEqual([true, true, 0]);
  away = false;
  await eventually(() => recorded.length === 1_000);
  expect(loop.heldUp).toBe(false);
  await loop.stop();
});

test('a database that does not answer holds up what is claimed, until it does', async () => {
  let away = false;
  let began = 0;
  const { loop } = loopOver(
    { a: 1 },
    {
      async shards() {
        if (away) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        return [];
      },
      async act(item) {
        began++;
        return item;
      },
    },
  );
  away = true;
  loop.start();
  await eventually(() => loop.heldUp);
  const cleared = loop.untilClear(60_000);
  away = false;
  await cleared;
  expect([loop.heldUp, began]).toEqual([false, 0]);
  await loop.stop();
});

test('leases are extended while work goes on, and work whose lease is lost is broken off', async () => {
  const broken: string[] = [];
  const extended: string[] = [];
  let aheadMs = 0;
  const { loop, recorded } = loopOver(
    { a: 2 },
    {
      clock: { now: () => new Date(), monotonicMs: () => performance.now() + aheadMs },
      act: (item, signal) =>
        item === 'a1'
          ? sleep(1_500, item)
          : new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                broken.push(item);
                resolve(item);
              });
            }),
    },
    {
      async extend(items) {
        extended.push(...items);
        return new Set(['a1']);
      },
    },
  );
  loop.start();
  await eventually(() => loop.active === 2);
  aheadMs = 5_000;
  await eventually(() => broken.length === 1);
  await eventually(() => recorded.length === 2);
  expect([broken, new Set(extended)]).toEqual([['a0'], new Set(['a0', 'a1'])]);
  await loop.stop();
});

test('a lease is as old as it says, whether it was claimed or given', async () => {
  const extended: string[] = [];
  const oldMs = performance.now() - 5_000;
  const since = { monotonicMs: oldMs, wallMs: Date.now() - 5_000 };
  const { loop, recorded } = loopOver(
    { a: 2 },
    { act: (item) => sleep(1_500, item) },
    {
      sinceOf: (item) => (item === 'a0' || item === 'given old' ? since : undefined),
      async extend(items) {
        extended.push(...items);
        return new Set(items);
      },
    },
  );
  loop.start();
  loop.give(['given old', 'given new']);
  await eventually(() => recorded.length === 4);
  expect(extended.sort()).toEqual(['a0', 'given old']);
  await loop.stop();
});
