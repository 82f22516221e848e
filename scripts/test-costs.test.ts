import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { costsReport } from './test-costs.mjs';

const line = (file: string, ownMs: number, childrenMs: number) =>
  `${JSON.stringify({ file, ownMs, childrenMs })}\n`;

test('the twenty files that cost the most, the dearest first, and what is left of the run', () => {
  const text =
    Array.from({ length: 25 }, (_, at) => line(`a${at}.test.ts`, 1_000 + at, 0)).join('') +
    line('twice.test.ts', 1_500, 200) +
    line('twice.test.ts', 1_500, 0);
  const report = costsReport(text, 40) as string[];
  expect(report[0]).toMatch(/of 26 test files/);
  expect(report[1]).toBe('     3.2 (0.2) twice.test.ts');
  expect(report[2]).toBe('     1.0 (0.0) a24.test.ts');
  expect(report.filter((each) => each.endsWith('.test.ts'))).toHaveLength(20);
  expect(report.slice(-2)).toEqual(['    28.5 all test files', '    11.5 PostgreSQL, workers and vitest']);
});
