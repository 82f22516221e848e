import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { connectToPrimary } from './hosts.ts';
import { ensureRoles, MigrationError } from './roles.ts';

/**
 * Forward-only, numbered migrations, each in its own transaction. Servers may start together: the migrations
 * table is the lock (per transaction, which works with poolers). The SHA-256 of each applied migration is
 * recorded, and a database that this code does not know is left alone.
 */
export interface Migration {
  number: number;
  /** File name without `.sql`: `0001_create_accounts`. */
  name: string;
  sql: string;
  /** SHA-256 (hex) of the text with LF line ends. */
  checksum: string;
}

interface MigrationResult {
  applied: string[];
  version: number;
}

/** An applied migration, as a rehearsal shows it. */
export interface Watched {
  readonly name: string;
  readonly seconds: number;
  /** Tables that it kept others from writing or reading, with the mode of its lock. */
  readonly locks: readonly { readonly table: string; readonly mode: string }[];
  readonly bytes: number;
}

/** Next to the bundle, or in the source tree. */
const FOLDERS = ['./migrations/', '../../migrations/'];
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Another server may be applying a long migration. */
const WAIT_FOR_OTHERS = '30min';
/**
 * A statement that waits for a table lock gives up after this, so that requests do not queue behind it; the
 * migration is then retried.
 */
const LOCK_TIMEOUT = '5s';
/** deadlock_detected, lock_not_available: may succeed on a retry. */
const LOCKED_OUT = new Set(['40P01', '55P03']);
const LOCK_TRIES = 6;
/** Grows with each try. */
const LOCK_PAUSE_MS = 500;
const CONNECT_TIMEOUT_MS = 10_000;
/** Concurrent `create table if not exists` can collide; a retry finds it done. */
const TABLE_TRIES = 5;
const INSUFFICIENT_PRIVILEGE = '42501';

interface Applied {
  number: number;
  name: string;
  checksum: string;
}

export async function migrate(
  connectionString: string,
  migrations: readonly Migration[] = readMigrations(),
  watch?: (applied: Watched) => void,
): Promise<MigrationResult> {
  return withClient(connectionString, async (client) => {
    await ensureVersion(client);
    await ensureRoles(client);
    await ensureTable(client);
    const applied: string[] = [];
    for (;;) {
      const name = await applyBesideOthers(client, migrations, watch);
      if (name === null) break;
      applied.push(name);
    }
    return { applied, version: migrations.at(-1)?.number ?? 0 };
  });
}

/** Missing migrations. Throws MigrationError if database and code do not match. */
export async function pendingMigrations(
  connectionString: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  return withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ known: boolean }>(
      "select to_regclass('public.schema_migrations') is not null known",
    );
    const applied = rows[0]?.known === true ? await readApplied(client) : [];
    nextOf(applied, migrations);
    return migrations.slice(applied.length).map(({ name }) => name);
  });
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectToPrimary(connectionString, {
    application_name: 'acuse:migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function readMigrations(): Migration[] {
  const folder = FOLDERS.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (folder === undefined)
    throw new MigrationError(
      'the migrations folder is missing from this installation: rebuild it (npm run build)',
    );
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return files.map((file, index) => {
    const number = Number(FILE_NAME.exec(file)?.[1]);
    if (number !== index + 1)
      throw new MigrationError(
        `migration ${file} is out of order: the next number is ${String(index + 1).padStart(4, '0')}`,
      );
    const sql = readFileSync(`${folder}${file}`, 'utf8').replaceAll('\r\n', '\n');
    return {
      number,
      name: file.slice(0, -'.sql'.length),
      sql,
      checksum: createHash('sha256').update(sql).digest('hex'),
    };
  });
}

/** `applyNext`, retried while running processes hold the locks. */
async function applyBesideOthers(
  client: pg.Client,
  migrations: readonly Migration[],
  watch?: (applied: Watched) => void,
): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyNext(client, migrations, watch);
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: string };
      if (!LOCKED_OUT.has(code ?? '') || attempt === LOCK_TRIES) throw error;
      await pause(attempt * LOCK_PAUSE_MS);
    }
  }
}

/** Applies the first missing migration and returns its name; null: none is missing. */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
  watch?: (applied: Watched) => void,
): Promise<string | null> {
  // Without a lock first, so that an up-to-date server waits for nobody.
  if (nextOf(await readApplied(client), migrations) === null) return null;
  let next: Migration | null = null;
  await client.query('begin');
  try {
    await client.query(
      `set local search_path = public; set local statement_timeout = 0; set local lock_timeout = '${WAIT_FOR_OTHERS}'`,
    );
    await client.query('lock table schema_migrations in share row exclusive mode');
    next = nextOf(await readApplied(client), migrations);
    if (next !== null) {
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      const watched = watch === undefined ? null : await beginWatching(client);
      await client.query(next.sql);
      if (watched !== null) watch?.({ name: next.name, ...(await watched()) });
      await client.query(
        'insert into schema_migrations (number, name, checksum, applied_at) values ($1, $2, $3, now())',
        [next.number, next.name, next.checksum],
      );
      // A migration may grant on all tables; this one is the migrator's alone.
      await client.query('revoke all on table schema_migrations from acuse_request, acuse_worker');
    }
    await client.query('commit');
    return next?.name ?? null;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw next === null ? error : explain(error, next);
  }
}

/** Watches from here on, in the open transaction: at its end it still has all of its locks. */
async function beginWatching(client: pg.Client): Promise<() => Promise<Omit<Watched, 'name'>>> {
  const sizeNow = async () => {
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_database_size(current_database()) bytes',
    );
    return Number(rows[0]!.bytes);
  };
  const known = await client.query<{ oids: string[] }>(
    "select coalesce(array_agg(oid::text), '{}') oids from pg_class where relkind in ('r', 'p')",
  );
  const bytes = await sizeNow();
  const startedMs = performance.now();
  return async () => {
    const seconds = Math.round(performance.now() - startedMs) / 1_000;
    const { rows: locks } = await client.query<{ table: string; mode: string }>(
      `select c.relname "table", l.mode from pg_locks l join pg_class c on c.oid = l.relation
         where l.pid = pg_backend_pid() and l.granted and l.mode in
           ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
           and c.oid::text = any ($1) and c.relname <> 'schema_migrations'
           and c.relnamespace = 'public'::regnamespace order by 1, 2`,
      [known.rows[0]!.oids],
    );
    return { seconds, locks, bytes: (await sizeNow()) - bytes };
  };
}

function nextOf(applied: readonly Applied[], migrations: readonly Migration[]): Migration | null {
  for (const [index, row] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined)
      throw new MigrationError(
        `the database has migration ${row.name}, which this version does not know: a newer version made it. Run that version, or restore an earlier backup`,
      );
    if (known.number !== row.number || known.checksum !== row.checksum)
      throw new MigrationError(
        `migration ${row.name} was changed after it was applied (recorded ${row.checksum.slice(0, 12)}, now ${known.name} ${known.checksum.slice(0, 12)}): no release changes a migration, so a version that was never released made this database, or a file of this installation was edited. Run the version that made it, or install this one again`,
      );
  }
  return migrations[applied.length] ?? null;
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    'select number, name, checksum from public.schema_migrations order by number',
  );
  return rows;
}

async function ensureTable(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`create table if not exists public.schema_migrations (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null
      )`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) {
        const { rows } = await client.query<{ login: string; database: string }>(
          'select quote_ident(current_user) login, quote_ident(current_database()) database',
        );
        throw new MigrationError(
          `${rows[0]!.login} may not create tables in schema public; an administrator of the database must run:\n  alter database ${rows[0]!.database} owner to ${rows[0]!.login};`,
          { cause: error },
        );
      }
      if (attempt >= TABLE_TRIES) throw error;
    }
  }
}

async function ensureVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; encoding: string }>(
    "select current_setting('server_version_num') number, current_setting('server_encoding') encoding",
  );
  const { number, encoding } = rows[0]!;
  if (Number(number) < 150_000)
    throw new MigrationError(
      `PostgreSQL 15 or newer is needed; this one is ${Math.floor(Number(number) / 10_000)}`,
    );
  if (encoding !== 'UTF8')
    throw new MigrationError(
      `the encoding of the database must be UTF8, got ${encoding}: create it with encoding 'UTF8'`,
    );
}

function explain(error: unknown, migration: Migration): Error {
  const { code, message, position } = error as { code?: string; message: string; position?: string };
  const line =
    position === undefined ? '' : ` at line ${migration.sql.slice(0, Number(position)).split('\n').length}`;
  return new MigrationError(
    `migration ${migration.name} failed${line}: ${message}${code === undefined ? '' : ` (${code})`}; nothing of it was applied`,
    { cause: error },
  );
}
