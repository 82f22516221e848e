import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { reachedBy } from './check-kinds.mjs';
// @ts-expect-error: a script without types
import { nearest } from './near.mjs';

const service = (number: number) => `server/test/other/${number}.test.ts`;
const tree: Record<string, string> = {
  'server/src/delivery/schedule.ts': '',
  'server/src/delivery/worker.ts': "import './schedule.ts';",
  'server/src/server.ts': "import './delivery/worker.ts';",
  'server/test/delivery/schedule.unit.test.ts': "import '../../src/delivery/schedule.ts';",
  'server/test/delivery/worker.test.ts': "import '../../src/server.ts';",
  'server/test/process/whole.test.ts': "import '../../src/delivery/schedule.ts';",
  'packages/mail/test/mail.test.ts': '',
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, number) => [service(number), "import '../../src/server.ts';"]),
  ),
};
const tests = Object.keys(tree).filter((path) => path.includes('.test.'));
const near = (...changed: string[]) =>
  nearest(
    changed,
    tests,
    reachedBy((path: string) => tree[path] ?? null),
  );

test('takes those of unit and service that import it by the fewest steps, and of them those that lie as it does', () => {
  const { paths, all } = near('server/src/delivery/schedule.ts');
  expect(paths).toHaveLength(1 + 5);
  expect(paths.slice(0, 2)).toEqual([
    'server/test/delivery/schedule.unit.test.ts',
    'server/test/delivery/worker.test.ts',
  ]);
  expect(all).toBe(33);
});

test('takes a test that changed, whatever its kind, and nothing for what no test imports', () => {
  expect(near('server/test/process/whole.test.ts').paths).toEqual(['server/test/process/whole.test.ts']);
  expect(near('README.md')).toEqual({ paths: [], all: 0 });
});
