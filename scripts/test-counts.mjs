#!/usr/bin/env node
// Turns vitest's JSON report into the one line `N passed, N failed, N skipped`, and fails when something
// failed or nothing ran. A file that could not even be loaded counts as one failure.
import { readFileSync } from 'node:fs';

/** `report`: vitest's JSON report. */
export function countTests(report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const having = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  return {
    passed: having('passed'),
    failed: having('failed') + unloaded,
    skipped: having('skipped', 'pending', 'todo', 'disabled'),
  };
}

if (process.argv[1]?.endsWith('test-counts.mjs')) {
  const { passed, failed, skipped } = countTests(JSON.parse(readFileSync(process.argv[2], 'utf8')));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
