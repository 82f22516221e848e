import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBreaches, LANDED, landedText } from './check-migrations.mjs';
import { smallTree } from './small-tree.ts';

const ONE = 'server/src/migrations/0001_create.sql';
const TWO = 'server/src/migrations/0002_widen.sql';

/** A tree whose first migration has landed. */
function landedTree(): string {
  const root = smallTree({ [ONE]: 'create table a ();\n' });
  const text = landedText(root);
  return smallTree({ [ONE]: 'create table a ();\n', [LANDED]: text });
}

test('a landed migration stays as it is, whatever its line ends', () => {
  const root = landedTree();
  expect(findBreaches(root)).toEqual([]);
  writeFileSync(join(root, ONE), 'create table a ();\r\n');
  expect(findBreaches(root)).toEqual([]);
  writeFileSync(join(root, ONE), 'create table a (b int);\n');
  expect(findBreaches(root)).toEqual([expect.stringMatching(/0001_create\.sql was changed/)]);
  rmSync(join(root, ONE));
  expect(findBreaches(root)).toEqual([expect.stringMatching(/0001_create\.sql is gone/)]);
});

test('a new migration is added to the list, and no entry of the list is changed by that', () => {
  const root = landedTree();
  const before = JSON.parse(readFileSync(join(root, LANDED), 'utf8'));
  writeFileSync(join(root, ONE), 'create table a (b int);\n');
  writeFileSync(join(root, TWO), 'alter table a add c int;\n');
  expect(findBreaches(root)).toEqual([
    expect.stringMatching(/0001_create\.sql was changed/),
    expect.stringMatching(/0002_widen\.sql is not in/),
  ]);
  const after = JSON.parse(landedText(root));
  expect(Object.keys(after)).toEqual(['0001_create', '0002_widen']);
  expect(after['0001_create']).toBe(before['0001_create']);
});
