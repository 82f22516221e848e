import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/command.ts';
import { listHelp } from '../../src/cli/help.ts';
import { textOf } from '../../src/cli/output.ts';

test('the help says what every exit code means', () => {
  const [line] = /^Exit codes: .*$/m.exec(textOf(listHelp([], null)))!;
  expect([...line.matchAll(/[:;] (\d) \w/g)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
});
