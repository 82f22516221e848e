import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkTables, findBreaches, tablesOf } from './check-tables.mjs';
import { smallTree } from './small-tree.ts';

/** A placeholder as text, not as one of this file's own templates. */
const put = (name: string) => ['$', '{', name, '}'].join('');

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
  ['insert in a with', "q('with x as (insert into messages (a) values (1) returning a) select a from x')"],
  ['upper case', "q('INSERT INTO MESSAGES (a) VALUES (1)')"],
  ['copy', "q('copy messages (a) from stdin')"],
  ['the second of a truncate', "q('truncate table only other, messages')"],
  ['update only', "q('update only messages set a = 1')"],
  ['with its schema, in quotes', `q('insert into "public"."messages" (a) values (1)')`],
  ['behind a comment', "q('delete /* all */ from -- of\\n messages')"],
  ['alter', "q('alter table messages disable row level security')"],
  ['a constant in a template', `const TABLE = 'messages'; q(\`update ${put('TABLE')} set a = 1\`)`],
  ['a constant in a sum', "const TABLE = 'messages'; q('insert in' + 'to ' + TABLE + ' (a) values (1)')"],
  ['a list that is joined', "q(['insert', 'into', 'messages'].join(' '))"],
  ['concat', "q('delete from '.concat('messages'))"],
  ['a template in a template', `q(\`select ${put('a')} ${put('`delete from messages`')}\`)`],
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

test('a file that is not a store writes none', () => {
  const files = { 'server/src/messages/store.ts': "q('update messages set a = 1')" };
  for (const text of ["q('/* x */ merge into messages using b on true')", "q('  copy messages from stdin')"])
    expect(check({ ...files, 'server/src/delivery/deliver.ts': text })).toHaveLength(1);
  const prose = `say('Update messages and events at once. Copy messages, or cut them.', \`Copy ${put('it')}\`)`;
  expect(check({ ...files, 'server/src/delivery/deliver.ts': prose })).toHaveLength(0);
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

test.each([
  `q(\`delete from ${put('table')} where a = 1\`)`,
  `q(\`update ${put('table')} set a = 1\`)`,
  "q('insert into ' + table + ' (a) values (1)')",
  "q('insert into mess' + rest)",
  `import { TABLE } from './tables.ts'; q(\`truncate ${put('TABLE')}\`)`,
  `const TABLE = \`${put('TABLE')}\`; q(\`copy ${put('TABLE')} from stdin\`)`,
])('a name that only running tells is a breach: %s', (text) => {
  expect(check({ 'server/src/messages/store.ts': text })).toEqual([
    expect.stringMatching(/messages\/store\.ts:1: writes a table that only running tells/),
  ]);
});

test('a table that a class of a store is handed is written by whoever makes one', () => {
  const people = `export class People { drop() { q(\`delete from ${put('this.#tables.messages')}\`) } }`;
  const make = "export const MINE = new People({ messages: 'messages' })";
  const files = { 'server/src/messages/people-store.ts': people, 'server/src/messages/mine.ts': make };
  expect(check(files)).toEqual([]);
  expect(check({ ...files, 'server/src/delivery/mine.ts': make })).toEqual([
    expect.stringMatching(/^messages: written by messages \(.*mine\.ts:1\) and delivery \(.*mine\.ts:1\)/),
  ]);
  expect(check({ ...files, 'server/src/delivery/store.ts': "q('update messages set a = 1')" })).toHaveLength(
    1,
  );
});

test('a listed second writer is let through, a third is not, and a stale one fails', () => {
  const exceptions = { messages: { domain: 'operate/retention', why: 'erasure' } };
  const write = "q('update messages set a = 1')";
  const two = { 'server/src/messages/store.ts': write, 'server/src/operate/retention/erase-store.ts': write };
  expect(check(two, exceptions)).toEqual([]);
  expect(check({ ...two, 'server/src/delivery/store.ts': write }, exceptions)).toEqual([
    expect.stringMatching(/written by messages .* and delivery/),
  ]);
  expect(check({ 'server/src/messages/store.ts': write }, exceptions)).toEqual([
    expect.stringMatching(/retention is listed as its second writer and is not/),
  ]);
});

test('of a tree the sources of the server are read, and its tables', () => {
  const write = "q('update messages set a = 1')";
  const root = smallTree({
    'server/schema.sql': 'create table messages (a int);\n',
    'server/src/messages/store.ts': write,
    'server/src/delivery/a-store.ts': write,
    'server/src/evidence/notes.md': write,
    'server/test/store.ts': write,
  });
  expect(findBreaches(root, {})).toEqual([
    expect.stringMatching(/^messages: written by delivery .* and messages/),
  ]);
});
