import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { limitedSignal } from '../../src/platform/limited-signal.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('a limit comes though all that nobody holds was collected', async () => {
  const signal = limitedSignal(20, new AbortController().signal);
  collect();
  while (!signal.aborted) await sleep(5);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('another signal comes first, and one that came before', () => {
  const other = new AbortController();
  const signal = limitedSignal(60_000, other.signal);
  expect(signal.aborted).toBe(false);
  other.abort('enough');
  expect([signal.aborted, signal.reason]).toEqual([true, 'enough']);
  expect(limitedSignal(60_000, other.signal).reason).toBe('enough');
});
