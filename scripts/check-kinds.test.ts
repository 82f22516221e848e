import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { kindOf, needsOf } from '../packages/testkit/src/test-kinds.mjs';
// @ts-expect-error: a script without types
import { findBreaches } from './check-kinds.mjs';

const DATABASE = 'packages/testkit/src/database.ts';
const PROCESSES = 'packages/testkit/src/server-process.ts';
const BROWSER = 'packages/testkit/src/browser.ts';
const tree: Record<string, string> = {
  [DATABASE]: '',
  [PROCESSES]: '',
  [BROWSER]: '',
  'server/src/a.ts': '',
  'server/src/platform/database/embedded-postgres.ts': '',
  'server/src/start.ts': "import './platform/database/embedded-postgres.ts';",
  'server/test/support/service.ts': "import { x } from '@acuse/testkit/database';",
  'server/test/support/service-type.ts': "import type { X } from './service.ts';",
  'server/test/support/two.ts': "export { y } from './service.ts';\nimport '@acuse/testkit/server-process';",
};

function breachesOf(path: string, text: string): string[] {
  return findBreaches([path], (file: string) => ({ ...tree, [path]: text })[file] ?? null);
}

test.each([
  ['packages/mail/test/a.test.ts', "import { x } from '../src/x.ts';"],
  ['scripts/a.test.ts', ''],
  ['server/test/quota/a.unit.test.ts', "import { x } from '../../src/a.ts';"],
  ['server/test/quota/types.unit.test.ts', "import '../support/service-type.ts';"],
  ['server/test/cli/commands.unit.test.ts', "import '../../src/start.ts';"],
  ['server/test/quota/a.test.ts', "import '../support/service.ts';"],
  ['server/test/quota/later.test.ts', "const { x } = await import('../support/service.ts');"],
  ['server/test/process/a.test.ts', "import '@acuse/testkit/server-process';"],
  ['server/test/quota/whole.process.test.ts', "import '../support/two.ts';"],
  ['web/test/a.test.ts', "import '@acuse/testkit/browser';"],
  ['packages/mail/test/a.generative.test.ts', ''],
  ['server/test/contract/a.generative.test.ts', "import '../support/service.ts';"],
])('%s is of the kind that it says', (path, text) => {
  expect(breachesOf(path, text)).toEqual([]);
});

test.each([
  ['packages/mail/test/a.test.ts', '@acuse/testkit/database', `unit has no database (by ${DATABASE})`],
  [
    'server/test/quota/a.unit.test.ts',
    '../support/two.ts',
    `unit has no database (by server/test/support/two.ts → server/test/support/service.ts → ${DATABASE})`,
  ],
  ['server/test/quota/a.test.ts', '@acuse/testkit/server-process', 'service has no processes'],
  ['server/test/quota/a.test.ts', '@acuse/testkit/browser', 'service has no browser'],
  ['server/test/process/a.test.ts', '@acuse/testkit/browser', 'process has no browser'],
  ['server/test/quota/a.generative.test.ts', '@acuse/testkit/server-process', 'generative has no processes'],
  ['server/test/quota/a.test.ts', '../../src/a.ts', 'needs no database, and so is of a lesser kind'],
  ['server/test/process/a.test.ts', '../support/service.ts', 'needs no processes, and so is of a lesser'],
  ['web/test/a.test.ts', '../support/service.ts', 'needs no browser, and so is of a lesser kind'],
  ['server/test/quota/a.units.test.ts', '../../src/a.ts', 'names no kind: it is one of unit, service'],
])('%s with %s is not', (path, from, breach) => {
  expect(breachesOf(path, `import '${from}';`).join('\n')).toContain(breach);
});

test.each([
  ['packages/mail/test/a.test.ts', 'unit'],
  ['packages/mail/test/a.generative.test.ts', 'generative'],
  ['scripts/package/a.test.ts', 'unit'],
  ['sdks/conformance/a.test.ts', 'unit'],
  ['scripts/a.service.test.ts', 'service'],
  ['server/test/quota/a.test.ts', 'service'],
  ['server/test/quota/a.unit.test.ts', 'unit'],
  ['server/test/quota/a.outside.test.ts', 'outside'],
  ['server/test/process/a.test.ts', 'process'],
  ['server/test/process/a.service.test.ts', 'service'],
  ['server/test/process/a.browser.test.ts', 'browser'],
  ['web/test/a.test.ts', 'browser'],
  ['web/test/a.unit.test.ts', 'unit'],
])('%s is of kind %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});

test('nothing begins that no file needs', () => {
  const nothing = { postgres: false, server: false, web: false };
  expect(needsOf('packages/mail/test/a.test.ts')).toEqual(nothing);
  expect(needsOf('packages/mail/test/a.generative.test.ts')).toEqual(nothing);
  expect(needsOf('server/test/quota/a.test.ts')).toEqual({ postgres: true, server: true, web: false });
  expect(needsOf('server/test/process/a.test.ts')).toEqual({ postgres: true, server: true, web: true });
});
