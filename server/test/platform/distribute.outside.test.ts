import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findArchived,
  moveArchivedMonth,
  readCommitments,
} from '../../src/evidence/archive/archived-store.ts';
import { countStoredContents, dropContents } from '../../src/messages/archived-store.ts';
import { openDb, type Tx } from '../../src/platform/database/db.ts';
import { distribute } from '../../src/platform/database/distribute.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { TABLE_CLASSES } from '../../src/platform/database/table-classes.ts';
import { newId } from '../../src/platform/ids.ts';
import { CITUS_URL, type CitusDatabase, citusDatabase, NEEDS_CITUS, query } from '../support/citus.ts';

const NOWHERE = { coordinator: { host: '127.0.0.1', port: 1 }, workers: [], shards: null };

describe('a PostgreSQL without Citus', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test('is told what it lacks, and nothing of it changes', async () => {
    await expect(distribute({ url: database.url, ...NOWHERE })).rejects.toThrow(
      /needs a superuser|Citus is not installed: install it/,
    );
    const found = await query(database.url, "select from pg_extension where extname = 'citus'");
    expect(found).toEqual([]);
  });

  test('is not distributed for who asks its connection', async () => {
    const db = openDb({ connectionString: database.url, poolSize: 1, applicationName: 'acuse-test' });
    try {
      expect(await db.distributed()).toBe(false);
      expect(await db.transact(async (tx) => tx.distributed)).toBe(false);
    } finally {
      await db.close();
    }
  });
});

describe.skipIf(CITUS_URL === undefined)(`a cluster with two workers${NEEDS_CITUS}`, () => {
  let database: CitusDatabase;
  const run = (options: { shards?: number | null; workers?: CitusDatabase['workers'] } = {}) =>
    distribute({
      url: database.url,
      coordinator: database.coordinator,
      workers: options.workers ?? database.workers,
      shards: options.shards ?? null,
    });

  beforeAll(async () => {
    database = await citusDatabase(CITUS_URL!);
  });
  afterAll(() => database.drop());

  test('has to be migrated first', async () => {
    await expect(run()).rejects.toThrow(/lacks account_events, .*: run acuse db migrate first/);
  });

  test('gets each table in its class, all at once; again there is nothing to do', async () => {
    await migrate(database.url);
    // A worker at a time: what is there already is left as it is.
    const done = await run({ shards: 4, workers: database.workers.slice(0, 1) });
    expect(done.addedWorkers).toHaveLength(1);
    const waits = await query<{ seconds: string }>(
      database.url,
      "select setting as seconds from pg_settings where name = 'wal_receiver_status_interval'",
    );
    const advised = done.advice.filter((line) => line.includes('wal_receiver_status_interval = 1s'));
    expect(advised).toHaveLength(waits[0]!.seconds === '1' ? 0 : 2);
    expect(done.changed).toEqual({
      distributed: TABLE_CLASSES.distributed,
      reference: TABLE_CLASSES.reference,
      local: TABLE_CLASSES.local,
    });
    const again = await run();
    expect(again.addedWorkers).toEqual([`${database.workers[1]!.host}:${database.workers[1]!.port}`]);
    expect(Object.values(again.changed).flat()).toEqual([]);
    const places = await query<{ name: string; place: string }>(
      database.url,
      'select table_name::text as name, citus_table_type as place from citus_tables',
    );
    const wanted = { distributed: 'distributed', reference: 'reference', local: 'local' } as const;
    for (const [kind, place] of Object.entries(wanted))
      expect(new Set(places.filter((row) => row.place === place).map(({ name }) => name))).toEqual(
        new Set(TABLE_CLASSES[kind as keyof typeof wanted]),
      );
    await expect(run({ shards: 8 })).rejects.toThrow(/divided into 4 shards already: leave --shards out/);
  });

  test('takes the statements that drop and read archived contents', async () => {
    const db = openDb({ connectionString: database.url, poolSize: 1, applicationName: 'acuse-test' });
    const [tenantId, messageId] = [newId(Date.now()), newId(Date.now())];
    const hash = new Uint8Array(32);
    try {
      expect(
        await db.transact((tx) => dropContents(tx, tenantId, [{ messageId, raw: hash, submission: hash }])),
      ).toEqual([]);
      const range = { tenantId, after: tenantId, to: messageId };
      expect(await countStoredContents(db, range)).toEqual({ messages: 0, bytes: 0 });
      expect(await readCommitments(db, range)).toEqual([]);
      expect(await findArchived(db, tenantId, messageId, '2026-01')).toBeUndefined();
      const month = { tenantId, month: '2026-01', place: '/a' };
      expect(await db.transact((tx) => moveArchivedMonth(tx, month, '/b'))).toBe(false);
    } finally {
      await db.close();
    }
  });

  test('lets a statement over two accounts pass another that has not ended', async () => {
    const insert = (tx: Tx, tenants: readonly string[]) =>
      tx.execute(
        `insert into counter_additions (tenant_id, day, sealed)
         select n.tenant_id, '2026-11-28'::date, 1 from unnest($1::uuid[]) as n (tenant_id)
         returning null`,
        [tenants],
      );
    const db = openDb({ connectionString: database.url, poolSize: 2, applicationName: 'acuse-test' });
    try {
      // Of many, so that both statements have the same shards.
      const tenants = () => Array.from({ length: 40 }, () => newId(Date.now()));
      await db.transact(async (first) => {
        await insert(first, tenants());
        await db.transact((second) => insert(second, tenants()));
      });
      const found = await query<{ rows: string }>(
        database.url,
        'select count(*)::text as rows from counter_additions',
      );
      expect(found).toEqual([{ rows: '80' }]);
      await query(database.url, 'delete from counter_additions');
    } finally {
      await db.close();
    }
  });

  test('every foreign key but one is there again', async () => {
    const keys = (url: string) =>
      query<{ key: string }>(
        url,
        `select conname as key from pg_constraint c
          where contype = 'f' and connamespace = 'public'::regnamespace
            and conrelid = any (select ('public.' || name)::regclass from unnest($1::text[]) name)
          order by 1`,
        [Object.values(TABLE_CLASSES).flat()],
      );
    const one = await testDatabase();
    try {
      const before = (await keys(one.url)).map(({ key }) => key);
      const after = (await keys(database.url)).map(({ key }) => key);
      expect(after).toEqual(before.filter((key) => key !== 'one_time_links_tenant_id_fkey'));
    } finally {
      await one.drop();
    }
  });

  test('the roles of the service log in on each node, and each connection hands its tenant on', async () => {
    for (const { url } of [database.coordinator, ...database.workers]) {
      const [setting] = await query<{ value: string }>(
        url,
        "select current_setting('citus.propagate_set_commands') as value",
      );
      expect(setting!.value).toBe('local');
      const roles = await query<{ able: boolean }>(
        url,
        "select rolcanlogin as able from pg_roles where rolname in ('acuse_request', 'acuse_worker', 'acuse_sessions')",
      );
      expect(roles.map(({ able }) => able)).toEqual([true, true, true]);
    }
    const db = openDb({ connectionString: database.url, poolSize: 1, applicationName: 'acuse-test' });
    try {
      expect(await db.transact(async (tx) => tx.distributed)).toBe(true);
      await expect(db.asTenant("x'; select 1; --", async () => 1)).rejects.toThrow(
        /not the id of an account/,
      );
    } finally {
      await db.close();
    }
  });

  test('a node that is not there is named, with what it needs', async () => {
    const away = { host: '127.0.0.1', port: 1, url: '' };
    await expect(run({ workers: [away] })).rejects.toThrow(
      /127\.0\.0\.1:1 cannot be reached as a node: .*every node needs the database/,
    );
  });
});
