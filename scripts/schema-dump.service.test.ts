import { emptyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { dumpSchema } from './schema-dump.mjs';

const databases: TestDatabase[] = [];
const clients: pg.Client[] = [];

async function connect(make: () => Promise<TestDatabase>): Promise<pg.Client> {
  const database = await make();
  databases.push(database);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

test('what is dumped makes the same schema again', async () => {
  const migrated = await connect(testDatabase);
  const text: string = await dumpSchema(migrated);
  const again = await connect(emptyDatabase);
  await again.query(text);
  expect(await dumpSchema(again)).toBe(text);
});

test('every kind of thing that a migration makes shows', async () => {
  const client = await connect(emptyDatabase);
  await client.query(`
    create table parents (id uuid primary key, name text collate "C" not null default 'x', unique (name));
    create table children (id int, parent uuid references parents on delete cascade, note bytea, check (id > 0));
    create unique index children_by_parent on children (parent) where id > 5;
    alter table children alter column note set storage external, enable row level security,
      force row level security;
    alter table children set (fillfactor = 80, toast.autovacuum_enabled = true);
    create policy narrow on children as restrictive for select to acuse_request using (id = 1);
    grant select (id) on children to acuse_request;
    grant select on children to acuse_worker`);
  await expect(await dumpSchema(client)).toMatchFileSnapshot('./schema-dump.expected.sql');
});
