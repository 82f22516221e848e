import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
// @ts-expect-error: a script without types
import {
  findBreaches,
  findNative,
  findShipped,
  isPermissive,
  packageFolder,
  writeLicences,
} from './shipped.mjs';

const home = mkdtempSync(join(tmpdir(), 'acuse-shipped-'));
afterAll(() => rmSync(home, { recursive: true }));

function addPackage(path: string, facts: object): string {
  const folder = join(home, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(facts));
  return folder;
}

test('only what leaves a permissive choice may ship', () => {
  for (const fine of ['MIT', 'Apache-2.0', '(MIT OR GPL-3.0)', 'GPL-2.0 OR ISC', 'MIT AND Zlib'])
    expect(isPermissive(fine), fine).toBe(true);
  const refused = ['GPL-3.0', 'AGPL-3.0-only', 'MPL-2.0', 'MIT AND GPL-2.0', 'SEE LICENSE IN x', '', null];
  for (const each of [...refused, '(MIT OR GPL-3.0) AND GPL-2.0', { type: 'MIT' }])
    expect(isPermissive(each), String(each)).toBe(false);
});

test('packages are found wherever npm put them, and each version once', () => {
  addPackage('node_modules/a', { name: 'a', version: '1.0.0', license: 'MIT' });
  addPackage('node_modules/@s/b', { name: '@s/b', version: '2.0.0', license: 'ISC' });
  addPackage('node_modules/a/node_modules/c', { name: 'c', version: '3.0.0', license: 'GPL-3.0' });
  addPackage('server/node_modules/a', { name: 'a', version: '4.0.0', license: 'MIT' });
  const bundled = addPackage('else/node_modules/@s/d', { name: '@s/d', version: '5.0.0' });
  const shipped = findShipped(
    [join(home, 'node_modules'), join(home, 'server/node_modules'), join(home, 'absent')],
    [join(bundled, 'dist/index.js'), join(bundled, 'dist/other.js'), join(home, 'server/src/own.ts')],
  );
  expect(
    shipped.map((each: { name: string; version: string }) => `${each.name} ${each.version}`),
  ).toStrictEqual(['@s/b 2.0.0', '@s/d 5.0.0', 'a 1.0.0', 'a 4.0.0', 'c 3.0.0']);
  const breaches = findBreaches(shipped);
  expect(breaches).toHaveLength(2);
  expect(breaches[0]).toContain('@s/d 5.0.0: null');
  expect(breaches[1]).toContain('c 3.0.0: "GPL-3.0"');
});

test('the package of a file is the innermost one; our own files have none', () => {
  expect(packageFolder('/x/node_modules/a/node_modules/@s/b/lib/i.js')).toBe(
    '/x/node_modules/a/node_modules/@s/b',
  );
  expect(packageFolder('/x/server/src/i.ts')).toBeNull();
});

test('a library of the embedded PostgreSQL that nobody has looked at stops the build', () => {
  const folder = join(home, 'lib');
  mkdirSync(folder);
  for (const name of ['libpq.so.5', 'libpq.so', 'libz.so.1', 'libssl.so.1.1', 'libpgcommon.a'])
    writeFileSync(join(folder, name), 'inflate 1.2.11, OpenSSL 1.1.1  11 Sep 2018');
  const found = findNative(folder);
  expect(found.map((each: { name: string }) => each.name)).toStrictEqual(['openssl', 'zlib']);
  writeFileSync(join(folder, 'libz.so.1'), 'inflate 1.3.1');
  expect(() => findNative(folder)).toThrow('libz.so.1 does not say "inflate 1.2.11"');
  rmSync(join(folder, 'libz.so.1'));
  writeFileSync(join(folder, 'libreadline.so.8'), '');
  expect(() => findNative(folder)).toThrow('libreadline.so.8');
});

test('the texts of licences are kept, and their absence is said', () => {
  const folder = addPackage('node_modules/e', { name: 'e', version: '1.0.0', license: 'MIT' });
  writeFileSync(join(folder, 'LICENSE.md'), 'Permission is granted.\r\n');
  const e = { name: 'e', version: '1.0.0', license: 'MIT', folder };
  expect(writeLicences([e], [])).toContain('e 1.0.0 (MIT)\n\nPermission is granted.');
  rmSync(join(folder, 'LICENSE.md'));
  expect(writeLicences([e], [])).toContain('has no licence file and declares MIT');
});
