import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { countClientTests, skipReasons } from './client-counts.mjs';

test.each([
  [
    'node:test',
    '# tests 5\n# suites 1\n# pass 3\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n',
    [3, 1, 1],
  ],
  ['node:test in colours', '\u001b[34mℹ pass 12\u001b[39m\n\u001b[34mℹ fail 0\u001b[39m\n', [12, 0, 0]],
  ['pytest', '.....\n===== 1 failed, 12 passed, 2 skipped, 1 error in 1.21s =====\n', [12, 2, 2]],
  ['pytest -q', '..\n12 passed in 0.21s\n', [12, 0, 0]],
  [
    'go test -v',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestB (0.00s)\n',
    [1, 0, 1],
  ],
  [
    'go test',
    'ok  \tacuse.dev/go\t0.2s\n?   \tacuse.dev/go/x\t[no test files]\nok  \tacuse.dev/go/y\t(cached)\n',
    [2, 0, 0],
  ],
  [
    'cargo',
    'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 3 passed; 2 failed; 0 ignored; x\n',
    [15, 2, 1],
  ],
  [
    'Maven',
    '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\n[INFO] Tests run: 20, Failures: 1, Errors: 2, Skipped: 3\n',
    [14, 3, 3],
  ],
  ['PHPUnit', 'OK (12 tests, 34 assertions)\n', [12, 0, 0]],
  ['PHPUnit with failures', 'Tests: 12, Assertions: 34, Failures: 2, Skipped: 1.\n', [9, 2, 1]],
  ['minitest', '12 runs, 34 assertions, 1 failures, 1 errors, 2 skips\n', [8, 2, 2]],
  ['our own line', '12 passed, 1 failed, 3 skipped\n', [12, 1, 3]],
])('counts what %s reports', (_name, output, [passed, failed, skipped]) => {
  expect(countClientTests(output)).toEqual({ passed, failed, skipped });
});

test('nothing that looks like a report', () => {
  expect(countClientTests('built in 3 s\n')).toBeNull();
});

test('says once why tests were skipped, where something is needed', () => {
  const output = '\u001b[90m  ﹣ passes ping (0.4ms) # needs Node 22: this is 20.20.2\u001b[39m\n'.repeat(2);
  expect(skipReasons(`${output}  ﹣ later (0.1ms) # SKIP\n  ✔ sends (1ms)\n`)).toEqual([
    'needs Node 22: this is 20.20.2',
  ]);
});
