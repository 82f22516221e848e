import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkTables, findBreaches, tablesOf } from './check-tables.mjs';

const TABLES = tablesOf('create table messages (\n  a int\n);\n\ncreate table events (\n);\n') as Set<string>;

const check = (files: Record<string, string>, exceptions: object = {}) =>
  checkTables(new Map(Object.entries(files)), TABLES, exceptions) as string[];

test.each([
  ['insert', "q('insert into messages (a) values (1)')"],
  ['update', 'q(`\n  update messages m set a = 2`)'],
  ['update in a with', "q('with x as (update messages set a = 1 returning a) select a from x')"],
  ['delete', "q('DELETE FROM messages where a = 1')"],
  ['delete only', "q('delete from only messages')"],
  ['truncate', "q('truncate messages')"],
  ['merge', "q('merge into messages using x on true')"],
])('a table written by two domains: %s', (_kind, text) => {
  const [breach, ...more] = check({
    'server/src/messages/store.ts': "q('insert into messages (a) values (1)')",
    'server/src/delivery/record/record-store.ts': text,
  });
  expect(more).toEqual([]);
  expect(breach).toMatch(
    /^messages: written by messages \(server\/src\/messages\/store\.ts:1\) and delivery \(.*record-store\.ts:1\)/,
  );
});

test('reading, locking, conflicts and comments are no writes', () => {
  expect(
    check({
      'server/src/messages/store.ts':
        "q('insert into messages (a) values (1) on conflict do update set a = 2')",
      'server/src/delivery/a-store.ts':
        "// update messages\nq('select a from messages for update of messages'); q('update events set a = 1')",
    }),
  ).toEqual([]);
});

test('a name that only running tells is a breach', () => {
  expect(check({ 'server/src/messages/store.ts': `q(\`delete from \${table} where a = 1\`)` })).toEqual([
    expect.stringMatching(/messages\/store\.ts:1: writes a table that only running tells/),
  ]);
});

test('a listed second writer is let through, a third is not, and a stale one fails', () => {
  const exceptions = { messages: { domain: 'retention', why: 'erasure' } };
  const write = "q('update messages set a = 1')";
  const two = { 'server/src/messages/store.ts': write, 'server/src/retention/erase-store.ts': write };
  expect(check(two, exceptions)).toEqual([]);
  expect(check({ ...two, 'server/src/delivery/store.ts': write }, exceptions)).toEqual([
    expect.stringMatching(/written by messages .* and delivery/),
  ]);
  expect(check({ 'server/src/messages/store.ts': write }, exceptions)).toEqual([
    expect.stringMatching(/retention is listed as its second writer and is not/),
  ]);
});

test('in the tree each table has one writing domain', () => {
  expect(findBreaches()).toEqual([]);
});
