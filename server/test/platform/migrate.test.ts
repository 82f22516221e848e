import { emptyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { eventually } from '@acuse/testkit/eventually';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Migration,
  migrate,
  readMigrations,
  type Watched,
} from '../../src/platform/database/migrate.ts';

const databases: TestDatabase[] = [];

async function database(make: () => Promise<TestDatabase> = emptyDatabase): Promise<string> {
  const made = await make();
  databases.push(made);
  return made.url;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function migration(number: number, sql: string, checksum = `sum-${sql}`): Migration {
  return { number, name: `000${number}_do`, sql, checksum };
}

afterEach(async () => {
  await Promise.all(databases.splice(0).map((made) => made.drop()));
});

describe('migrate', () => {
  test('applies every migration once, in order, and says so', async () => {
    const url = await database();
    const names = readMigrations().map(({ name }) => name);
    expect(await migrate(url)).toEqual({ applied: names, version: names.length });
    expect(await migrate(url)).toEqual({ applied: [], version: names.length });
  });

  test('the cloned template needs nothing more', async () => {
    expect((await migrate(await database(testDatabase))).applied).toEqual([]);
  });

  test('many servers at once apply each migration exactly once', async () => {
    const url = await database();
    const migrations = [1, 2, 3, 4].map((number) =>
      migration(number, `create table made_${number} (id int); select pg_sleep(0.02)`),
    );
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url, migrations)));
    expect(results.flatMap(({ applied }) => applied).sort()).toEqual(migrations.map(({ name }) => name));
  });

  test('a rehearsal is told of each: what it locked and how much it took', async () => {
    const url = await database();
    const old = [migration(1, 'create table kept (id int); create table read (id int)')];
    await migrate(url, old);
    const next = [
      migration(2, 'alter table kept add column more text; select from read'),
      migration(3, 'create table made as select generate_series(1, 20000) id; create index on kept (id)'),
    ];
    const told: Watched[] = [];
    await migrate(url, [...old, ...next], (applied) => void told.push(applied));
    expect(told).toMatchObject([
      { name: '0002_do', locks: [{ table: 'kept', mode: 'AccessExclusiveLock' }] },
      { name: '0003_do', locks: [{ table: 'kept', mode: 'ShareLock' }] },
    ]);
    expect(told[1]!.bytes).toBeGreaterThan(20_000 * 4);
    await migrate(url, [...old, ...next], (applied) => void told.push(applied));
    expect(told).toHaveLength(2);
  });

  test('a failing migration leaves nothing of itself and names the line', async () => {
    const url = await database();
    const migrations = [
      migration(1, 'create table kept (id int)'),
      migration(2, 'create table lost (id int);\nselect nonsense'),
    ];
    await expect(migrate(url, migrations)).rejects.toThrow(
      /0002_do failed at line 2: column "nonsense" does not exist \(42703\)/,
    );
    expect(
      await query(url, "select to_regclass('kept') is not null kept, to_regclass('lost') is not null lost"),
    ).toEqual([{ kept: true, lost: false }]);
    expect(
      (await migrate(url, [migrations[0]!, migration(2, 'create table lost (id int)')])).applied,
    ).toEqual(['0002_do']);
  });

  test('is tried again after a deadlock with a transaction at work, and after a long wait for a lock', async () => {
    const url = await database();
    await migrate(url, [migration(1, 'create table first (id int); create table second (id int)')]);
    const [other, watch] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([other.connect(), watch.connect()]);
    try {
      await other.query("begin; set local lock_timeout = '800ms'; insert into second values (1)");
      const migrated = migrate(url, [
        migration(1, 'create table first (id int); create table second (id int)'),
        migration(2, 'alter table first add column note text; alter table second add column note text'),
      ]);
      await eventually(async () => {
        const waiting = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
           and database = (select oid from pg_database where datname = current_database())`;
        return (await watch.query(waiting)).rowCount! > 0;
      });
      // Whoever has waited for a second looks for a deadlock and gives way: never this one, which lets go of
      // its place before and takes it again.
      await insertAtLast(other, 'insert into first values (1)');
      // Longer than a statement waits for a lock.
      await other.query('select pg_sleep(6)');
      await other.query('commit');
      expect((await migrated).applied).toEqual(['0002_do']);
      expect(await query(url, 'select id, note from first')).toEqual([{ id: 1, note: null }]);
    } finally {
      await Promise.all([other.end(), watch.end()]);
    }
  });

  async function insertAtLast(client: pg.Client, statement: string): Promise<void> {
    for (;;) {
      await client.query('savepoint before');
      try {
        await client.query(statement);
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== '55P03') throw error;
        await client.query('rollback to before');
      }
    }
  }

  test('refuses a migration that was changed after it was applied', async () => {
    const url = await database();
    await migrate(url, [migration(1, 'select 1', 'before')]);
    await expect(migrate(url, [migration(1, 'select 2', 'after')])).rejects.toThrow(
      /0001_do was changed after it was applied/,
    );
  });

  test('refuses a database that a newer version made', async () => {
    const url = await database();
    await migrate(url, [migration(1, 'select 1'), migration(2, 'select 2')]);
    await expect(migrate(url, [migration(1, 'select 1')])).rejects.toThrow(
      /0002_do, which this version does not know.*newer/,
    );
  });

  test('no role can touch the record of migrations', async () => {
    const url = await database(testDatabase);
    for (const role of ['acuse_request', 'acuse_worker', 'acuse_sessions']) {
      await expect(query(url, `set role ${role}; select * from schema_migrations`)).rejects.toThrow(
        /permission denied/,
      );
    }
  });

  test('all roles are bound by row-level security and can be taken on by the login', async () => {
    const url = await database(testDatabase);
    const rows = await query(
      url,
      "select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname like 'acuse\\_%' and not rolcanlogin order by 1",
    );
    expect(rows).toEqual(
      ['acuse_request', 'acuse_sessions', 'acuse_worker'].map((rolname) => ({
        rolname,
        rolsuper: false,
        rolbypassrls: false,
        rolcanlogin: false,
      })),
    );
  });

  test('every table with a tenant has forced row-level security', async () => {
    const url = await database(testDatabase);
    const open = await query(
      url,
      `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'verified_domains' and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(open).toEqual([]);
  });
});

describe('roles', () => {
  /** A login that may neither make roles nor take on ours. */
  async function poorLogin(url: string): Promise<{ url: string; name: string }> {
    const name = `poor_${Math.random().toString(36).slice(2, 10)}`;
    await query(url, `create role ${name} login; grant all on schema public to ${name}`);
    const own = new URL(url);
    own.searchParams.set('user', name);
    return { url: own.href, name };
  }

  test('a login without the right is told the SQL that an administrator must run, and that SQL is enough', async () => {
    const url = await database();
    const login = await poorLogin(url);
    const refusal = await migrate(login.url).catch((error: Error) => error.message);
    expect(refusal).toContain(`${login.name} may not make or grant the roles`);
    const statements = String(refusal)
      .split('\n')
      .filter((line) => line.trim().startsWith('grant'));
    expect(statements).toHaveLength(3);
    await query(url, statements.join(''));
    expect((await migrate(login.url)).applied).toHaveLength(readMigrations().length);
    // Its objects and grants go with the database.
    await databases.pop()?.drop();
    await query(await database(), `drop role ${login.name}`);
  });
});
