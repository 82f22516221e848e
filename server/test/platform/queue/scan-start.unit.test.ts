import { expect, test } from 'vitest';
import { createScanStart } from '../../../src/platform/queue/scans.ts';

const NOW = 1_800_000_000_000;
const LAG_MS = 2_000;

/** A clock that only moves when it is told to. */
function start() {
  let ms = 0;
  const clock = { now: () => new Date(NOW + ms), monotonicMs: () => ms };
  const scanStart = createScanStart(clock);
  const begun: (number | null)[] = [];
  return {
    begun,
    scanStart,
    pass(by: number) {
      ms += by;
    },
    look: (took: number, oldest: number | null) =>
      scanStart.look(clock.now(), async (from) => {
        begun.push(from === null ? null : from.getTime() - NOW);
        ms += took;
        return { oldest: oldest === null ? null : new Date(NOW + oldest) };
      }),
  };
}

test('looks that take no time all begin at the beginning, and so do claims', async () => {
  const { look, begun, scanStart } = start();
  for (let n = 0; n < 5; n++) await look(1, -60_000);
  expect(begun).toEqual([null, null, null, null, null]);
  expect(scanStart.mark).toBeNull();
});

test('after a long one looks begin at what it found oldest, until that has taken a small share', async () => {
  const { look, begun, scanStart, pass } = start();
  await look(100, -60_000);
  expect(scanStart.mark?.getTime()).toBe(NOW - 60_000 - LAG_MS);
  await look(1, -50_000);
  await look(1, null);
  // Never earlier than before, though something came in there.
  await look(1, -49_000);
  await look(1, -45_000);
  expect(begun).toEqual([null, -60_000 - LAG_MS, -50_000 - LAG_MS, 101 - LAG_MS, 101 - LAG_MS]);
  pass(2_000);
  await look(100, -60_000);
  expect(begun.at(-1)).toBeNull();
  // A late row is found, and claims begin there.
  expect(scanStart.mark?.getTime()).toBe(NOW - 60_000 - LAG_MS);
});

test('once one from the beginning is short again, all begin there', async () => {
  const { look, begun, scanStart, pass } = start();
  await look(50, null);
  pass(1_001);
  await look(1, null);
  await look(1, null);
  expect(begun).toEqual([null, null, null]);
  expect(scanStart.mark).toBeNull();
});

test('a look that the machine interrupted puts the next from the beginning off for seconds, not for longer', async () => {
  const { look, begun, pass } = start();
  await look(120_000, null);
  pass(9_000);
  await look(1, null);
  pass(1_001);
  await look(1, -60_000);
  expect(begun).toEqual([null, expect.any(Number), null]);
});
