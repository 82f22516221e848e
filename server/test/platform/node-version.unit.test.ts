import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** scripts/runtimes.mjs starts the same with the programs of other Nodes. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

const startAs = (version: string, program: string) =>
  spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
      ...[root + program, '--version'],
    ],
    { encoding: 'utf8' },
  );

test.each(['server/bin/acuse.mjs', 'scripts/start.mjs'])('%s says which Node it needs', (program) => {
  for (const version of ['18.20.8', '20.18.3']) {
    const { status, stdout, stderr } = startAs(version, program);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(`Acuse needs Node 20.19 or newer; this is Node ${version} (${process.execPath}).\n`);
  }
});

test('the oldest Node that is let through is the one that packages declare', () => {
  expect(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).engines.node).toBe('>=20.19');
  expect(readFileSync(`${root}deploy/debian/control`, 'utf8')).toMatch(/^Depends: nodejs \(>= 20\.19\),/m);
});
