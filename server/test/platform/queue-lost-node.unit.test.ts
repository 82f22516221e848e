import { eventually } from '@acuse/testkit/eventually';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { createLeases, LEASE_MS } from '../../src/platform/queue/leases.ts';
import { createLoop } from '../../src/platform/queue/loop.ts';

interface Item {
  readonly id: string;
  readonly owner: string;
}
const lost = () =>
  Object.assign(new Error('connection to the remote node db2.internal:5432 failed'), { code: '08006' });
const log = { debug() {}, info() {}, warn() {}, error() {} };

test('an account on a lost node holds up no other: not in claims, results, leases', async () => {
  const waiting = new Map<string, Item[]>([
    ['gone', [{ id: 'g1', owner: 'gone' }]],
    ['here', []],
  ]);
  let isLost = false;
  const recorded: string[][] = [];
  const loop = createLoop<Item, Item>({
    name: 'test',
    clock: systemClock,
    log,
    concurrency: 10,
    pollMs: 5,
    shards: async () => [...waiting].filter(([, items]) => items.length > 0).map(([owner]) => owner),
    async claim(owner) {
      if (isLost && owner === 'gone') throw lost();
      return waiting.get(owner)!.splice(0);
    },
    ownerOf: ({ owner }) => owner,
    leases: createLeases<Item>({
      clock: systemClock,
      log,
      name: 'test',
      keyOf: ({ id }) => id,
      extend: async (items) => new Set(items.map(({ id }) => id)),
    }),
    async act(item) {
      if (item.id === 'g1') {
        isLost = true;
        waiting.get('gone')!.push({ id: 'g2', owner: 'gone' });
        waiting.get('here')!.push({ id: 'h1', owner: 'here' }, { id: 'h2', owner: 'here' });
      }
      return item;
    },
    async record(results) {
      if (isLost && results.some(({ owner }) => owner === 'gone')) throw lost();
      recorded.push(results.map(({ id }) => id).sort());
    },
  });
  loop.start();
  await eventually(async () => recorded.flat().sort().join() === 'h1,h2');
  expect(loop.heldUp).toBe(false);
  isLost = false;
  await eventually(async () => recorded.flat().sort().join() === 'g1,g2,h1,h2');
  await loop.stop();
});

test('leases of the others are extended, and those on the lost node are not given up', async () => {
  const clock = { ...systemClock, nowMs: 0, monotonicMs: () => clock.nowMs };
  const asked: string[][] = [];
  const leases = createLeases<Item>({
    clock,
    log,
    name: 'test',
    wallMs: () => clock.nowMs,
    keyOf: ({ id }) => id,
    ownerOf: ({ owner }) => owner,
    async extend(items) {
      asked.push(items.map(({ id }) => id));
      if (items.some(({ owner }) => owner === 'gone')) throw lost();
      return new Set(items.map(({ id }) => id));
    },
  });
  const [gone, here] = [
    { id: 'g', owner: 'gone' },
    { id: 'h', owner: 'here' },
  ];
  leases.hold([gone, here], leases.mark());
  clock.nowMs = 5_000;
  await leases.extend();
  expect(asked).toEqual([['g', 'h'], ['g'], ['h']]);
  expect([leases.leftMs(gone), leases.leftMs(here)]).toEqual([LEASE_MS - 5_000, LEASE_MS]);
  expect(leases.signalOf(gone).aborted).toBe(false);
});
