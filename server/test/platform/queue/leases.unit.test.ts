import { expect, test } from 'vitest';
import type { Clock } from '../../../src/platform/clock.ts';
import { createLeases, LEASE_MARGIN_MS, LEASE_MS } from '../../../src/platform/queue/leases.ts';

/**
 * The machine's two clocks, each set by hand: asleep, the monotonic one stands still; the wall clock can be
 * set to anything.
 */
function machine() {
  const at = { monotonicMs: 1_000, wallMs: Date.UTC(2026, 0, 1) };
  const clock: Clock = { now: () => new Date(0), monotonicMs: () => at.monotonicMs };
  return { at, clock, wallMs: () => at.wallMs };
}

interface Item {
  readonly id: string;
  fence: number;
}

function setUp(extend?: (items: readonly Item[]) => Promise<ReadonlySet<string>>) {
  const { at, clock, wallMs } = machine();
  const asked: Item[][] = [];
  const leases = createLeases<Item>({
    clock,
    wallMs,
    log: { error() {}, warn() {} },
    name: 'test',
    keyOf: (item) => item.id,
    fenceOf: (item) => item.fence,
    extend: async (items) => {
      asked.push([...items]);
      return extend === undefined ? new Set(items.map(({ id }) => id)) : extend(items);
    },
    onHeldAgain(known, item) {
      known.fence = item.fence;
    },
  });
  const item = { id: 'a', fence: 1 };
  leases.hold([item], leases.mark());
  return { at, leases, item, asked };
}

test('a lease is believed in for no longer than it was given for, counted from before it was asked for', async () => {
  const { at, leases, item, asked } = setUp();
  expect(leases.isSafe(item)).toBe(true);
  at.monotonicMs += LEASE_MS - LEASE_MARGIN_MS;
  expect(leases.isSafe(item)).toBe(true);
  at.monotonicMs += 1;
  expect(await leases.isSafe(item)).toBe(true);
  expect(asked).toHaveLength(1);
  expect(leases.leftMs(item)).toBe(LEASE_MS);
});

test('a machine that slept does not believe in what it held before', async () => {
  const { at, leases, item } = setUp(async () => new Set());
  at.wallMs += 60_000;
  expect(leases.leftMs(item)).toBeLessThan(0);
  expect(await leases.isSafe(item)).toBe(false);
  expect(leases.signalOf(item).aborted).toBe(true);
});

test('a wall clock that is set back makes no lease longer', () => {
  const { at, leases, item } = setUp();
  at.wallMs -= 3_600_000;
  at.monotonicMs += LEASE_MS + 1;
  expect(leases.leftMs(item)).toBeLessThan(0);
});

test('what is out of our hands is not broken off when its lease is lost', async () => {
  const { at, leases, item } = setUp(async () => new Set());
  leases.setHandedOver(item, true);
  at.monotonicMs += LEASE_MS;
  await leases.extend();
  expect(leases.signalOf(item).aborted).toBe(false);
  leases.setHandedOver(item, false);
  await leases.extend();
  expect(leases.signalOf(item).aborted).toBe(true);
});

test('an answer about an earlier claim says nothing about the present one', async () => {
  let answer: (kept: ReadonlySet<string>) => void = () => {};
  const { at, leases, item } = setUp(() => new Promise((resolve) => (answer = resolve)));
  at.monotonicMs += LEASE_MS / 2;
  const extended = leases.extend();
  leases.hold([{ id: 'a', fence: 2 }], leases.mark());
  answer(new Set());
  await extended;
  expect([leases.signalOf(item).aborted, item.fence, leases.size]).toEqual([false, 2, 1]);
});

test('all leases that have run for a while are extended in one statement, the others not at all', async () => {
  const { at, leases, item, asked } = setUp();
  const more = Array.from({ length: 300 }, (_, each) => ({ id: `m${each}`, fence: 1 }));
  leases.hold(more, leases.mark());
  at.monotonicMs += LEASE_MS / 2;
  leases.hold([{ id: 'new', fence: 1 }], leases.mark());
  await leases.extend();
  expect(asked).toEqual([[item, ...more]]);
  leases.drop([item, ...more]);
  expect(leases.size).toBe(1);
});
