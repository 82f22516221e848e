import { expect, test } from 'vitest';
import { Counts } from '../../src/platform/counts.ts';

test('counts by key, and forgets a key that has nothing left', () => {
  const counts = new Counts();
  expect(counts.of('ana')).toBe(0);
  expect(counts.add('ana', 2)).toBe(2);
  expect(counts.add('bea', 7)).toBe(7);
  expect(counts.add('ana', -1)).toBe(1);
  expect([counts.of('ana'), counts.of('bea'), counts.size]).toEqual([1, 7, 2]);
  expect(counts.add('ana', -1)).toBe(0);
  expect([counts.of('ana'), counts.size]).toEqual([0, 1]);
  expect(counts.add('nobody', 0)).toBe(0);
  expect(counts.size).toBe(1);
});
