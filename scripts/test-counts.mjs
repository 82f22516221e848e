#!/usr/bin/env node
// Turns vitest's JSON report, and the counts of the client libraries' tests where there are some, into the
// one line `N passed, N failed, N skipped`, and fails when something failed or nothing ran. A file that
// could not even be loaded counts as one failure.
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

/** Counts that another step wrote; a file that it left empty counts as a failure. */
export function addCounts(counts, text) {
  const more = text === '' ? { passed: 0, failed: 1, skipped: 0 } : JSON.parse(text);
  return {
    passed: counts.passed + more.passed,
    failed: counts.failed + more.failed,
    skipped: counts.skipped + more.skipped,
  };
}

if (process.argv[1]?.endsWith('test-counts.mjs')) {
  const [report, ...more] = process.argv.slice(2).map((path) => readFileSync(path, 'utf8'));
  const { passed, failed, skipped } = more.reduce(addCounts, countTests(JSON.parse(report)));
  for (const text of more.filter((each) => each !== ''))
    for (const reason of JSON.parse(text).reasons ?? []) console.log(`skipped: ${reason}`);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
