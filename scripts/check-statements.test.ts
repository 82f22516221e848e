import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkClasses, checkStatements, findBreaches } from './check-statements.mjs';
import { smallTree } from './small-tree.ts';

const CLASSES = { distributed: ['tenants', 'messages', 'events'], reference: ['users'], local: ['jobs'] };
const STORE = 'server/src/messages/store.ts';

const breaches = (text: string, exceptions: object[] = []) =>
  checkStatements(new Map([[STORE, text]]), CLASSES, exceptions) as string[];

const table = (name: string, ...lines: string[]) =>
  `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n\n`;
const TENANTS = table(
  'tenants',
  'tenant_id uuid not null',
  'constraint tenants_pkey PRIMARY KEY (tenant_id)',
);

const misfits = (schema: string, classes: object) => checkClasses(TENANTS + schema, classes, {}) as string[];

test.each([
  ['a read', "q('select a from messages where message_id = $1')"],
  ['a join', "q('select a from jobs j join messages m on m.message_id = j.message_id')"],
  ['a write', "q('update messages set a = 1 where message_id = $1')"],
  ['a delete in a with', "q('with x as (delete from messages where a = 1 returning b) select b from x')"],
  ['an alias of the answer alone', `q('select a as "tenantId" from messages where message_id = $1')`],
])('a statement that names no tenant: %s', (_kind, text) => {
  expect(breaches(text)).toEqual([expect.stringMatching(/store\.ts:1: names no tenant, and messages is/)]);
});

test('a statement that names its tenant, and one of tables without, are none', () => {
  expect(breaches("q('select a from messages where tenant_id = $1')")).toEqual([]);
  expect(breaches("q('select a from users join jobs on b = c')")).toEqual([]);
  expect(breaches("say('select one of the messages from messages')")).toHaveLength(1);
  expect(breaches("say('one of many from messages')")).toEqual([]);
});

const BULK = 'insert into messages (tenant_id, a) select * from unnest($1::uuid[], $2::text[])';
const TWO = `with x as (delete from messages where tenant_id = $1 returning a),
  y as (insert into events (tenant_id, a) select $1, a from x) select 1`;

test('forms that Citus refuses', () => {
  expect(breaches(`q('${BULK}')`)).toEqual([expect.stringMatching(/end it with returning null/)]);
  expect(breaches(`q('${BULK} returning null'); q('${BULK} on conflict (a) do nothing')`)).toEqual([]);
  expect(breaches(`q(\`${TWO}\`)`)).toEqual([expect.stringMatching(/make two statements of it/)]);
  expect(
    breaches("q('with recursive x as (select tenant_id from messages union all select 1) select 1')"),
  ).toEqual([expect.stringMatching(/is recursive/)]);
  expect(breaches("q(`select set_config('acuse.tenant_id', $1, true)`)")).toEqual([
    expect.stringMatching(/set local/),
  ]);
});

const CHANGE = 'update messages m set a = t.a from x t where m.tenant_id = t.tenant_id';

test.each([
  ['select exists (select from messages where tenant_id = $1)', /write select 1 from/],
  [`${CHANGE} and m.at <= t.at - $2 * interval '1 ms'`, /hand the time in/],
  [`delete from messages m where m.tenant_id = $1 and m.at + interval '1 day' < $2`, /hand the time in/],
  [`${CHANGE} returning m.at::text`, /cast it afterwards/],
])('a form that Citus refuses: %s', (sql, fix) => {
  expect(breaches(`q(\`${sql}\`)`)).toEqual([expect.stringMatching(fix)]);
});

test('a volatile time in a change of any table', () => {
  expect(breaches("q('update jobs set at = clock_timestamp()')")).toEqual([
    expect.stringMatching(/volatile function/),
  ]);
  expect(breaches("q('update jobs set at = statement_timestamp()')")).toEqual([]);
  const upsert = 'insert into jobs (a, at) values ($1, $2) on conflict (a) do update set at =';
  for (const time of ['now()', "$2::timestamptz + interval '1 ms'"])
    expect(breaches(`q(\`${upsert} ${time}\`)`)).toEqual([expect.stringMatching(/hand it in/)]);
  expect(breaches(`q(\`${upsert} excluded.at where at < $3 + interval '1 ms'\`)`)).toEqual([]);
});

test.each([
  'select exists (select 1 from messages where tenant_id = $1)',
  `${CHANGE} and m.at <= $2::timestamptz - interval '1 day'`,
  `${CHANGE} and m.ends_at - m.at >= $2 * interval '1 ms'`,
  `${CHANGE} returning m.at`,
])('a form that Citus takes: %s', (sql) => {
  expect(breaches(`q(\`${sql}\`)`)).toEqual([]);
});

test('what is listed is let through, and a stale entry fails', () => {
  const exceptions = [{ file: 'messages/store.ts', part: 'where a = 1', why: 'one look over all' }];
  expect(breaches("q('select b from messages where a = 1')", exceptions)).toEqual([]);
  expect(breaches("q('select b from messages where tenant_id = $1')", exceptions)).toEqual([
    'messages/store.ts: where a = 1: is listed and breaks no rule: remove it',
  ]);
});

test('each table has one class, and fits it', () => {
  const MESSAGES = table(
    'messages',
    'tenant_id uuid not null',
    'message_id uuid not null',
    'constraint messages_pkey PRIMARY KEY (tenant_id, message_id)',
  );
  expect(misfits(MESSAGES, { distributed: ['tenants', 'messages'] })).toEqual([]);
  expect(misfits(MESSAGES, { distributed: ['tenants'] })).toEqual([
    expect.stringMatching(/^messages: has no class/),
  ]);
  expect(misfits('', { distributed: ['tenants', 'messages'] })).toEqual([
    expect.stringMatching(/^messages: is in .* and not in server\/schema\.sql/),
  ]);
  expect(misfits('', { distributed: ['tenants'], local: ['tenants'] })).toContainEqual(
    expect.stringMatching(/^tenants: has two classes/),
  );
});

const KEY = 'constraint x_key PRIMARY KEY (tenant_id)';

test.each([
  ['no tenant', ['a uuid not null', KEY], /has no tenant_id/],
  ['no primary key', ['tenant_id uuid not null'], /can't be moved/],
  [
    'a key without it',
    ['tenant_id uuid not null', 'constraint x_pkey PRIMARY KEY (a)'],
    /x_pkey lacks tenant_id/,
  ],
  [
    'a reference to rows of other tenants',
    ['tenant_id uuid not null', KEY, 'constraint x_fk FOREIGN KEY (a) REFERENCES tenants(a)'],
    /x_fk refers to rows of another tenant/,
  ],
])('a distributed table with %s', (_what, lines, breach) => {
  expect(misfits(table('x', ...lines), { distributed: ['tenants', 'x'] })).toEqual([
    expect.stringMatching(breach),
  ]);
});

test('a table without a key can be moved once it has a replica identity', () => {
  const x = `${table('x', 'tenant_id uuid not null')}alter table x replica identity full;\n`;
  expect(misfits(x, { distributed: ['tenants', 'x'] })).toEqual([]);
});

test('a unique index has the tenant, and what is not distributed refers to nothing that is', () => {
  const index = 'create unique index x_a ON x USING btree (a) WHERE (b IS NULL);\n';
  const x = table('x', 'tenant_id uuid not null', KEY);
  expect(misfits(x + index, { distributed: ['tenants', 'x'] })).toEqual([
    expect.stringMatching(/x_a lacks tenant_id/),
  ]);
  const key = 'constraint x_fk FOREIGN KEY (tenant_id) REFERENCES tenants(tenant_id)';
  for (const kind of ['reference', 'local'])
    expect(
      misfits(table('x', 'tenant_id uuid not null', key), { distributed: ['tenants'], [kind]: ['x'] }),
    ).toEqual([expect.stringMatching(/x_fk refers to tenants, which is distributed, and x is/)]);
});

test('of a tree the classes are read, the schema and the stores', async () => {
  const root = smallTree({
    'server/schema.sql': `${table('messages', 'tenant_id uuid not null', KEY)}${table('others', 'a int')}`,
    'server/src/platform/database/table-classes.ts':
      "export const TABLE_CLASSES = { distributed: ['messages'] } as const;",
    'server/src/messages/store.ts': "q('select b from messages')",
    'server/src/messages/accept.ts': "q('select b from messages')",
  });
  expect(await findBreaches(root, [])).toEqual([
    expect.stringMatching(/^others: has no class/),
    expect.stringMatching(/^server\/src\/messages\/store\.ts:1: names no tenant/),
  ]);
});
