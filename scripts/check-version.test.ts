import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBreaches } from './check-version.mjs';
import { smallTree } from './small-tree.ts';
import { ROOT } from './source-files.mjs';

/** Every file that the check read of the tree as it is, with changes. */
function treeWith(changes: Record<string, (text: string) => string>): string {
  const files = [
    ...readFileSync(join(ROOT, 'scripts/check-version.mjs'), 'utf8').matchAll(
      /'([\w./-]+\/[\w./-]+|package\.json)'/g,
    ),
  ].map(([, file]) => file!);
  const read = new Set(
    [...files, 'package-lock.json'].filter((file) => !file.startsWith('node:') && !file.startsWith('./')),
  );
  return smallTree(
    Object.fromEntries(
      [...read].map((file) => {
        const text = readFileSync(join(ROOT, file), 'utf8');
        return [file, changes[file]?.(text) ?? text];
      }),
    ),
  );
}

test('every place has the version of the server, the lock file too', () => {
  expect(findBreaches()).toEqual([]);
  const next = (text: string) => text.replace(/"version": "[\d.]+"/, '"version": "9.9.9"');
  expect(findBreaches(treeWith({ 'mcp/package.json': next, 'package-lock.json': next }))).toEqual([
    expect.stringMatching(/^mcp\/package\.json: version 9\.9\.9, and server\/package\.json has /),
    expect.stringMatching(/^package-lock\.json: a package of ours has another version than /),
  ]);
});

test('a version that is not where it was is found', () => {
  expect(findBreaches(treeWith({ 'mcp/src/version.ts': () => 'export const V = 1;\n' }))).toEqual([
    'mcp/src/version.ts: the version is not where scripts/check-version.mjs looks for it',
  ]);
});
