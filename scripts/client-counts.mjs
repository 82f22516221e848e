// How many tests a language's own runner reports: the closing lines of node:test, pytest, go test, cargo,
// JUnit under Maven, PHPUnit and minitest. What several processes print is added up.

const NUMBER = String.raw`(\d{1,9})`;
const number = (text) => (text === undefined ? 0 : Number(text));

/** One report each: expression of a line, and what its groups count. */
const REPORTS = [
  // Ours, and pytest's: each number may be absent.
  [
    new RegExp(`^.{0,20}\\b${NUMBER} (passed|failed|skipped|errors?)\\b.{0,200}$`, 'gm'),
    ([line]) => ({
      passed: numberBefore(line, 'passed'),
      failed: numberBefore(line, 'failed') + numberBefore(line, 'errors?'),
      skipped: numberBefore(line, 'skipped'),
    }),
  ],
  [
    new RegExp(`^[#ℹ] (pass|fail|cancelled|skipped|todo) ${NUMBER}$`, 'gm'),
    ([, what, count]) => ({
      passed: what === 'pass' ? number(count) : 0,
      failed: what === 'fail' || what === 'cancelled' ? number(count) : 0,
      skipped: what === 'skipped' || what === 'todo' ? number(count) : 0,
    }),
  ],
  [
    new RegExp(
      `^test result: \\w{1,10}\\. ${NUMBER} passed; ${NUMBER} failed; ${NUMBER} ignored;.{0,100}$`,
      'gm',
    ),
    ([, passed, failed, ignored]) => ({
      passed: number(passed),
      failed: number(failed),
      skipped: number(ignored),
    }),
  ],
  [
    // Without " -- in" or "Time elapsed", which end the line of one class.
    new RegExp(
      `^(?:\\[\\w{4,7}\\] {0,2})?Tests run: ${NUMBER}, Failures: ${NUMBER}, Errors: ${NUMBER}, Skipped: ${NUMBER}$`,
      'gm',
    ),
    ([, runs, failures, errors, skipped]) => ({
      passed: number(runs) - number(failures) - number(errors) - number(skipped),
      failed: number(failures) + number(errors),
      skipped: number(skipped),
    }),
  ],
  [
    new RegExp(`^OK \\(${NUMBER} tests?, \\d{1,9} assertions?\\)$`, 'gm'),
    ([, passed]) => ({ passed: number(passed) }),
  ],
  [
    new RegExp(`^Tests: ${NUMBER}, Assertions: \\d{1,9}.{0,200}$`, 'gm'),
    ([line, tests]) => {
      const failed = numberAfter(line, 'Failures') + numberAfter(line, 'Errors');
      const skipped = numberAfter(line, 'Skipped') + numberAfter(line, 'Incomplete');
      return { passed: number(tests) - failed - skipped, failed, skipped };
    },
  ],
  [
    new RegExp(
      `^${NUMBER} runs, \\d{1,9} assertions, ${NUMBER} failures, ${NUMBER} errors, ${NUMBER} skips$`,
      'gm',
    ),
    ([, runs, failures, errors, skips]) => ({
      passed: number(runs) - number(failures) - number(errors) - number(skips),
      failed: number(failures) + number(errors),
      skipped: number(skips),
    }),
  ],
  // go test -v, top level; without -v, its packages.
  [
    /^--- (PASS|FAIL|SKIP): /gm,
    ([, what]) => ({
      passed: what === 'PASS' ? 1 : 0,
      failed: what === 'FAIL' ? 1 : 0,
      skipped: what === 'SKIP' ? 1 : 0,
    }),
  ],
  [/^ok {2}\t/gm, () => ({ passed: 1 })],
];

const numberBefore = (line, what) => number(new RegExp(`(\\d{1,9}) ${what}\\b`).exec(line)?.[1]);
const numberAfter = (line, what) => number(new RegExp(`${what}: (\\d{1,9})`).exec(line)?.[1]);
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]{0,10}m`, 'g');

/**
 * Counts of the first kind of report that there is; null without any.
 * @param {string} output
 */
export function countClientTests(output) {
  const text = output.replaceAll(COLOURS, '').replaceAll('\r\n', '\n');
  for (const [pattern, read] of ORDER) {
    const found = [...text.matchAll(pattern)].map(read);
    if (found.length === 0) continue;
    const sum = (key) => found.reduce((all, each) => all + (each[key] ?? 0), 0);
    return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  }
  return null;
}

/** The loosest last. */
const ORDER = [...REPORTS.slice(1), REPORTS[0]];

/** Why tests of node:test were skipped, each reason once: those that begin with what is needed. */
export function skipReasons(output) {
  const found = output.replaceAll(COLOURS, '').matchAll(/^ {0,40}﹣ .{1,300}? # (needs .{1,200})$/gm);
  return [...new Set([...found].map(([, reason]) => reason))];
}
