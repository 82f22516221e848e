import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@acuse/testkit/eventually';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { borrowEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';
import {
  completeBinaries,
  copyBinaries,
  findPostgresBinaries,
  makeCopyHome,
} from '../../src/platform/database/postgres-binaries.ts';
import { SYSTEM_TOOL_PATH } from '../../src/platform/database/postgres-runner.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = join(root, 'server/dist/embedded-postgres.mjs');
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const silent = { info: () => {}, error: () => {} };

interface Running {
  child: ChildProcess;
  url: string;
  how: string;
}

let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'embedded-postgres']);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'acuse-embedded-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function launch(dataDir: string, options: { uid?: number; tools?: string } = {}): ChildProcess {
  const args = [program, dataDir, ...(options.tools === undefined ? [] : [options.tools])];
  const ids = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(process.execPath, args, { ...ids, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function start(dataDir: string, options: { uid?: number; tools?: string } = {}): Promise<Running> {
  const child = launch(dataDir, options);
  let said = '';
  child.stderr!.on('data', (chunk) => (said += chunk));
  const line = await Promise.race([
    once(child.stdout!, 'data').then(([chunk]) => String(chunk)),
    once(child, 'exit').then(() => {
      throw new Error(`did not start: ${said}`);
    }),
  ]);
  return { child, ...(JSON.parse(line) as { url: string; how: string }) };
}

async function refusal(dataDir: string, options: { uid?: number } = {}): Promise<string> {
  const child = launch(dataDir, options);
  let said = '';
  child.stderr!.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  return said;
}

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** PostgreSQL's processes on a cluster, found as an administrator would. */
function processesOn(dataDir: string): string[] {
  const cluster = join(dataDir, 'postgres');
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(cluster);
    } catch {
      return false;
    }
  });
}

/** A PATH with some of the system's tools and not others. */
function toolsWithout(...missing: string[]): string {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  chmodSync(folder, 0o755);
  for (const tool of ['unshare', 'setpriv', 'flock', 'sh', 'true'].filter(
    (name) => !missing.includes(name),
  )) {
    const found = SYSTEM_TOOL_PATH.split(':')
      .map((path) => join(path, tool))
      .find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(tools, tool));
  }
  return tools;
}

describe('an embedded PostgreSQL', () => {
  test('is durable, checked, of one locale everywhere, and listens on its socket alone', async () => {
    const { url } = await start(join(folder, 'data'));
    const settings = await query(
      url,
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'server_encoding') order by 1",
    );
    expect(Object.fromEntries(settings)).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
      synchronous_commit: 'on',
    });
    expect(
      await query(
        url,
        'select datlocprovider, datlocale from pg_database where datname = current_database()',
      ),
    ).toEqual([['b', 'C.UTF-8']]);
    expect(
      await query(
        url,
        'select current_user::text, rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = current_user',
      ),
    ).toEqual([['acuse', false, false, true]]);
    expect(statSync(join(folder, 'data/postgres-socket')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'data/postgres.json')).mode & 0o777).toBe(0o600);
  });

  test('stops on SIGTERM and leaves the folder free, its data kept', async () => {
    const dataDir = join(folder, 'data');
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 42 as answer');
    await kill(first.child, 'SIGTERM');
    expect(first.child.exitCode).toBe(0);
    expect(processesOn(dataDir)).toEqual([]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.lock', 'postgres.log']);
    const second = await start(dataDir);
    expect(await query(second.url, 'select answer from kept')).toEqual([[42]]);
  });

  test('a second start on the folder is refused, naming the first', async () => {
    const { child, url } = await start(join(folder, 'data'));
    expect(await refusal(join(folder, 'data'))).toMatch(
      new RegExp(`in use by process ${child.pid} \\(the test, since .*ACUSE_DATA_DIR`),
    );
    expect(await query(url, 'select 1')).toEqual([[1]]);
  });

  test('a kill -9 takes PostgreSQL with it, and the next start resumes at once', async () => {
    const dataDir = join(folder, 'data');
    const first = await start(dataDir);
    await query(first.url, 'create table kept (id int); insert into kept values (1)');
    await kill(first.child, 'SIGKILL');
    const second = await start(dataDir);
    expect(await query(second.url, 'select id from kept')).toEqual([[1]]);
    await kill(second.child, 'SIGKILL');
    await eventually(() => processesOn(dataDir).length === 0);
  });

  test('one that a kill -9 orphaned (no setpriv here) is stopped by the next start', async () => {
    const dataDir = join(folder, 'data');
    const tools = toolsWithout('setpriv');
    const first = await start(dataDir, { tools });
    await query(first.url, 'create table kept as select 1 as id');
    await kill(first.child, 'SIGKILL');
    const [orphan] = processesOn(dataDir);
    expect(orphan).toBeDefined();
    const second = await start(dataDir, { tools });
    expect(processesOn(dataDir)).not.toContain(orphan);
    expect(await query(second.url, 'select id from kept')).toEqual([[1]]);
  });

  test("a stale postmaster.pid with a stranger's number hinders nobody", async () => {
    const dataDir = join(folder, 'data');
    await kill((await start(dataDir)).child, 'SIGTERM');
    writeFileSync(
      join(dataDir, 'postgres/postmaster.pid'),
      `${process.pid}\n${dataDir}/postgres\n1\n5432\n\n\n0 0\nready   \n`,
    );
    expect(await query((await start(dataDir)).url, 'select 1')).toEqual([[1]]);
  });

  test('an initdb that was cut off is done again', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(join(dataDir, 'postgres.unfinished/base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.unfinished/PG_VERSION'), '18\n');
    expect(await query((await start(dataDir)).url, 'select 1')).toEqual([[1]]);
  });

  test('when PostgreSQL itself is killed it is started again', async () => {
    const dataDir = join(folder, 'data');
    const { url } = await start(dataDir);
    await query(url, 'create table kept as select 1 as id');
    process.kill(
      Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10),
      'SIGKILL',
    );
    const rows = await eventually(() => query(url, 'select id from kept').catch(() => null));
    expect(rows).toEqual([[1]]);
  });

  test('a path too long for a socket gets a short one, which goes with it', async () => {
    const dataDir = join(folder, 'long'.repeat(20), 'data');
    const { url, child } = await start(dataDir);
    const socketDir = new URL(url).searchParams.get('host')!;
    expect(socketDir.startsWith(dataDir)).toBe(false);
    expect(statSync(socketDir).mode & 0o777).toBe(0o700);
    expect(await query(url, 'select 1')).toEqual([[1]]);
    await kill(child, 'SIGTERM');
    expect(existsSync(socketDir)).toBe(false);
  });

  test('a command borrows the running one, and has one of its own when none runs', async () => {
    const dataDir = join(folder, 'data');
    const { url, child } = await start(dataDir);
    const borrowed = await borrowEmbeddedPostgres({ dataDir, command: 'a command', log: silent });
    expect(borrowed).toMatchObject({ url, own: false });
    await borrowed.stop();
    expect(await query(url, 'select 1')).toEqual([[1]]);
    await kill(child, 'SIGTERM');
    const own = await borrowEmbeddedPostgres({ dataDir, command: 'a command', log: silent });
    expect(own.own).toBe(true);
    // A service that starts meanwhile waits for the command to end.
    const waiting = start(dataDir);
    await sleep(200);
    await own.stop();
    expect(await query((await waiting).url, 'select 1')).toEqual([[1]]);
  });
});

describe.runIf(isRoot && process.platform === 'linux')('started by root', () => {
  test('runs in a user namespace, its files still ours', async () => {
    const dataDir = join(folder, 'data');
    const { how } = await start(dataDir);
    expect(how).toBe('user-namespace');
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(0);
  });

  test('runs as another user where namespaces are closed, in a folder that only root may enter', async () => {
    const tools = toolsWithout('unshare');
    const dataDir = join(folder, 'home', 'data');
    mkdirSync(join(folder, 'home'), { mode: 0o700 });
    const first = await start(dataDir, { tools });
    expect(first.how).toBe('other-user');
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(NOBODY);
    await query(first.url, 'create table kept as select 1 as id');
    await kill(first.child, 'SIGKILL');
    // A cluster that belongs to another user stays that user's, even once namespaces are open again.
    const second = await start(dataDir);
    expect(second.how).toBe('other-user');
    expect(await query(second.url, 'select id from kept')).toEqual([[1]]);
  });

  test('a cluster of root moves to another user when namespaces close', async () => {
    const tools = toolsWithout('unshare');
    const dataDir = join(folder, 'data');
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 1 as id');
    await kill(first.child, 'SIGTERM');
    const second = await start(dataDir, { tools });
    expect(second.how).toBe('other-user');
    expect(await query(second.url, 'select id from kept')).toEqual([[1]]);
  });
});

describe.runIf(isRoot && process.platform === 'linux')('started by an ordinary user', () => {
  beforeEach(() => chownSync(folder, NOBODY, NOBODY));

  test('runs as that user', async () => {
    const dataDir = join(folder, 'data');
    const { how, url, child } = await start(dataDir, { uid: NOBODY });
    expect(how).toBe('as-is');
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(NOBODY);
    await query(url, 'create table kept as select 1 as id');
    await kill(child, 'SIGKILL');
    expect(await query((await start(dataDir, { uid: NOBODY })).url, 'select id from kept')).toEqual([[1]]);
  });

  test('runs for a user whom the user database does not know', async () => {
    const stranger = 54_321;
    chownSync(folder, stranger, stranger);
    expect(await query((await start(join(folder, 'data'), { uid: stranger })).url, 'select 1')).toEqual([
      [1],
    ]);
  });

  test("refuses another user's cluster, saying whose it is", async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    chmodSync(dataDir, 0o777);
    expect(await refusal(dataDir, { uid: NOBODY })).toContain('belongs to uid 0, this is uid 65534');
  });
});

describe('the programs', () => {
  test('links and execute bits that the installation left out are made', () => {
    const { root: native, version } = findPostgresBinaries();
    const bare = join(folder, 'package/native');
    cpSync(native, bare, {
      recursive: true,
      filter: (path) => !path.endsWith('.a') && !statIsLink(path, native),
    });
    for (const name of ['postgres', 'initdb']) chmodSync(join(bare, 'bin', name), 0o644);
    expect(runs(bare)).toBe(false);
    expect(completeBinaries(bare)).toBe(true);
    expect(completeBinaries(bare)).toBe(true);
    expect(runs(bare)).toBe(true);
    makeCopyHome(join(folder, 'home'));
    const copy = copyBinaries({ root: bare, version }, join(folder, 'home'));
    expect(copyBinaries({ root: bare, version }, join(folder, 'home'))).toBe(copy);
    expect(runs(copy)).toBe(true);
  });

  test('a copy that others may write to is not run', () => {
    const { root: native, version } = findPostgresBinaries();
    const home = join(folder, 'home');
    makeCopyHome(home);
    const copy = copyBinaries({ root: native, version }, home);
    chmodSync(copy, 0o777);
    expect(() => copyBinaries({ root: native, version }, home)).toThrow(/is writable by others/);
  });

  function runs(native: string): boolean {
    try {
      return execFileSync(join(native, 'bin/postgres'), ['--version'], {
        encoding: 'utf8',
        stdio: 'pipe',
      }).includes('PostgreSQL');
    } catch {
      return false;
    }
  }

  /** True for what npm does not pack: the symbolic links. */
  function statIsLink(path: string, native: string): boolean {
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    return links.some(({ target }) => path.endsWith(target));
  }
});
