import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { holdEpoch, resetEpoch } from '../../src/evidence/log/anchor/database-epoch.ts';

const of = (timeline: number, system = '7') => ({ system, timeline });

test('the epoch of a database only grows, of many who hold it at once too; a release begins anew', async () => {
  const anchor = openAnchorFolder(tempFolder());
  expect(await holdEpoch(anchor, of(2))).toBe(2);
  expect(await holdEpoch(anchor, of(1))).toBe(2);
  const many = [3, 5, 4, 6, 2].map((timeline) => holdEpoch(anchor, of(timeline)));
  for (const [at, held] of (await Promise.all(many)).entries())
    expect(held).toBeGreaterThanOrEqual([3, 5, 4, 6, 2][at]!);
  expect(await holdEpoch(anchor, of(1))).toBe(6);
  expect(await holdEpoch(anchor, of(1, 'another'))).toBe(1);
  await resetEpoch(anchor, of(2));
  expect(await holdEpoch(anchor, of(2))).toBe(2);
});
