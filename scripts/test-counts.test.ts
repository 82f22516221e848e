import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { addCounts, countTests } from './test-counts.mjs';

test('counts tests, and a file that did not load as one failure', () => {
  const file = (status: string, ...statuses: string[]) => ({
    status,
    assertionResults: statuses.map((each) => ({ status: each })),
  });
  const report = {
    testResults: [
      file('passed', 'passed', 'passed', 'skipped', 'todo'),
      file('failed', 'passed', 'failed'),
      file('failed'),
    ],
  };
  expect(countTests(report)).toEqual({ passed: 3, failed: 2, skipped: 2 });
});

test('adds the counts of the client libraries, whose step may have left nothing', () => {
  const counts = { passed: 3, failed: 0, skipped: 1 };
  expect(addCounts(counts, '{"passed":10,"failed":2,"skipped":0}')).toEqual({
    passed: 13,
    failed: 2,
    skipped: 1,
  });
  expect(addCounts(counts, '')).toEqual({ passed: 3, failed: 1, skipped: 1 });
});
