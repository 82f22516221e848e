import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { countTests } from './test-counts.mjs';

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
