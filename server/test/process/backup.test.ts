import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { takeBackup as takeBackupHere } from '../../src/operate/backup/backup.ts';
import { superuserOf } from '../../src/platform/database/embedded-postgres.ts';
import { clusterPaths, readConnection } from '../../src/platform/database/postgres-cluster.ts';
import { acuse } from '../cli/run.ts';
import { copyOf, DAMAGES, linkTo, manifestOf, rewrite } from '../support/damaged-backups.ts';
import { createProcesses, type Service } from '../support/process.ts';

/**
 * A backup of an embedded database that works, and what comes back from it: every message that was answered
 * before the backup's end, and nothing that is sent before somebody says so.
 */
const SENDERS = 4;
/** Of nobody's. */
const OTHER_USER = 12_345;

const processes = createProcesses();
/** The master key is in the data folder. */
const env = { ACUSE_MASTER_KEY: '', ACUSE_SEAL_INTERVAL: '100ms' };
const dataDir = tempFolder();
const backups = join(tempFolder(), 'backups');
const own = { ACUSE_DATA_DIR: dataDir };
let service: Service;
let backup = '';

const namesIn = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));
const takeBackup = (...more: string[]) => acuse(['backup', '--to', backups, '--json', ...more], own);
const restoreRun = (from: string, to: string, more: Record<string, string> = {}) =>
  acuse(['restore', 'run', '--from', from, '--data-dir', to, '--json'], { ACUSE_DATA_DIR: to, ...more });

/** A command as a process of its own, to be killed. */
function spawned(...args: string[]) {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const child = spawn(process.execPath, [program.path, ...args], {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

async function slots(): Promise<number> {
  const { url } = readConnection(clusterPaths(dataDir))!;
  const client = new pg.Client(superuserOf(url));
  await client.connect();
  try {
    return (await client.query('select from pg_replication_slots')).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** On a queue that is paused from the start, so that everything waits. */
beforeAll(async () => {
  const first = await processes.start({ dataDir, env });
  await acuse(['queue', 'pause', '--tenant', String(first.sandbox.tenant_id), '--reason', 'x'], own);
  await first.stop();
  service = await processes.start({ dataDir, env });
});
afterAll(() => processes.end());

const answered: { id: string; at: number }[] = [];

test('a backup is made while sends go on, readable by its owner alone', async () => {
  let goOn = true;
  const senders = Array.from({ length: SENDERS }, async () => {
    while (goOn) {
      const { status, body } = await service.send({ to: 'delivered+backup@sandbox.test' });
      expect(status, JSON.stringify(body)).toBe(201);
      answered.push({ id: body.id, at: Date.now() });
    }
  });
  await eventually(() => answered.length > SENDERS);
  const before = answered.length;
  const made = await takeBackup();
  const during = answered.length - before;
  await eventually(() => answered.length > before + during);
  goOn = false;
  await Promise.all(senders);
  expect([made.code, made.err]).toEqual([0, '']);
  expect(during).toBeGreaterThan(0);
  backup = made.json.backup;
  expect(made.json).toMatchObject({ master_key: 'included', removed: [] });
  expect(namesIn(backups)).toEqual([backup.split('/').at(-1)]);
  const entries = readdirSync(backup, { recursive: true, withFileTypes: true });
  const wrong = entries.filter((entry) => {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    return (mode & 0o777) !== (entry.isDirectory() ? 0o700 : 0o600);
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(await slots()).toBe(0);
});

test('its manifest lists every file with the hash that sha256sum finds', () => {
  const { files, logs } = manifestOf(backup);
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
  execFileSync('sha256sum', ['--check', '--quiet', '--strict', '-'], { cwd: backup, input: lines });
  const found = readdirSync(backup, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'manifest.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(backup.length + 1));
  expect(found.sort()).toEqual(files.map(({ path }) => path).sort());
  expect(logs).toEqual([expect.objectContaining({ origin: 'sandbox.test/log' })]);
});

test('what it restores has every message that was answered before its end, and holds what waits', async () => {
  const restored = join(tempFolder(), 'restored');
  const done = await restoreRun(backup, restored);
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.json).toMatchObject({ data_dir: restored, key_fits: true });
  expect(namesIn(restored).sort()).toEqual(['master.key', 'postgres', 'postgres.lock']);
  const there = { ACUSE_DATA_DIR: restored };
  const check = await acuse(['restore', 'check', '--json'], there);
  expect([check.code, check.json.problems]).toEqual([0, []]);
  expect(check.json.restored.pending.reason).toContain(done.json.complete_until);

  const held = await processes.start({ dataDir: restored, env });
  expect((await fetch(`${held.baseUrl}/readyz`)).status).toBe(503);
  await held.stop();
  const answers = ['--accept-idempotency-gap', '--without-journal'];
  const released = await acuse(['restore', 'release', ...answers, '--json'], there);
  expect(released.json).toMatchObject({ released: true });
  expect((await acuse(['queue', 'unknown', '--json'], there)).json.total).toBe(released.json.held);

  const again = await processes.start({ dataDir: restored, env });
  const until = new Date(done.json.complete_until).getTime();
  const must = answered.filter(({ at }) => at < until);
  expect(must.length).toBeGreaterThan(SENDERS);
  for (const { id } of must) expect((await again.call('GET', `/v1/messages/${id}`)).status, id).toBe(200);
  await acuse(['queue', 'resume', '--tenant', String(again.sandbox.tenant_id)], there);
  const { body: sent } = await again.send({ certified: true });
  await again.until(sent.id, 'sent');
  for (const { id } of must)
    expect((await again.call('GET', `/v1/messages/${id}`)).body.status, id).toBe('queued');
  await eventually(async () => (await again.call('GET', `/v1/messages/${sent.id}/evidence`)).status === 200);
  await again.stop();
  expect((await acuse(['fsck', '--json'], there)).json.problemCount).toBe(0);
});

test.each(DAMAGES)('a backup with %s is refused, and leaves the folder empty', async (_, change, message) => {
  const to = tempFolder();
  const refused = await restoreRun(copyOf(backup, change), to);
  expect(refused.json.error.message).toMatch(message);
  expect([1, 2]).toContain(refused.code);
  expect(readdirSync(to).filter((name) => name !== 'postgres.lock')).toEqual([]);
});

test('a restore goes into an empty folder only, where no service runs', async () => {
  const used = await restoreRun(backup, dataDir);
  expect([used.code, used.json.error.code]).toEqual([3, 'data_folder_in_use']);
  const other = tempFolder();
  writeFileSync(join(other, 'letter.txt'), 'mine');
  const full = await restoreRun(backup, other);
  expect([full.code, full.json.error.code]).toEqual([2, 'not_empty']);
  expect(readdirSync(other)).toEqual(['letter.txt']);
  const folder = await restoreRun(backups, join(other, 'new'));
  expect(folder.json.error.message).toContain(`name one of them, such as ${backup}`);
  expect(existsSync(join(other, 'new'))).toBe(false);
});

test('a restore that is killed is begun again, and no service starts beside it', async () => {
  const to = join(tempFolder(), 'new');
  const inner = join(to, 'restore.unfinished');
  // While files are copied, and while PostgreSQL recovers.
  for (const sign of ['postgres/global', 'postgres.json']) {
    const { child, ended, said } = spawned('restore', 'run', '--from', backup, '--data-dir', to);
    await eventually(() => existsSync(join(inner, sign)) || child.exitCode !== null);
    child.kill('SIGKILL');
    expect(await ended, said()).toBe(null);
    await expect(processes.start({ dataDir: to, env })).rejects.toThrow(/acuse restore run again/);
    const asked = await acuse(['queue', 'list'], { ACUSE_DATA_DIR: to });
    expect(asked.err).toContain('acuse restore run again');
  }
  const done = await restoreRun(backup, to);
  expect([done.code, done.err]).toEqual([0, '']);
  expect((await acuse(['fsck', '--json'], { ACUSE_DATA_DIR: to })).json.problemCount).toBe(0);
});

test('a backup that is killed leaves one folder, which the next one removes', async () => {
  const drafts = () => namesIn(backups).filter((name) => name.endsWith('.unfinished'));
  const { child, ended, said } = spawned('backup', '--to', backups);
  await eventually(() => drafts().length === 1 || child.exitCode !== null);
  child.kill('SIGKILL');
  expect(await ended, said()).toBe(null);
  expect(drafts()).toHaveLength(1);
  const unfinished = await restoreRun(join(backups, drafts()[0]!), tempFolder());
  expect(unfinished.json.error.code).toBe('not_a_backup');
  await eventually(async () => (await slots()) === 0);
  const both = [spawned('backup', '--to', backups), spawned('backup', '--to', backups)];
  const codes = await Promise.all(both.map((each) => each.ended));
  expect(codes, both.map((each) => each.said()).join('')).toContain(0);
  for (const [at, code] of codes.entries())
    if (code !== 0) expect([code, both[at]!.said()]).toEqual([3, expect.stringContaining('makes a backup')]);
  expect(drafts()).toEqual([]);
});

test('--keep removes the oldest of this installation, once the new one is whole', async () => {
  const foreign = join(backups, 'acuse-20200101T000000.000Z');
  linkTo(backup, foreign);
  rewrite(foreign, (manifest) => ({ ...manifest, installation: 'another' }));
  const made = await takeBackup('--keep', '1');
  expect(made.json.removed).toContain(backup);
  expect(namesIn(backups)).toEqual(['acuse-20200101T000000.000Z', made.json.backup.split('/').at(-1)]);
  backup = made.json.backup;
  expect((await takeBackup('--keep', '0')).code).toBe(2);
});

test('the settings name the folder and the number, and the command line wins', async () => {
  const folder = join(tempFolder(), 'nightly');
  const settings = { ...own, ACUSE_BACKUP_FOLDER: folder, ACUSE_BACKUP_KEEP: '1' };
  const first = await acuse(['backup', '--json'], settings);
  const second = await acuse(['backup', '--json'], settings);
  expect([first.code, second.json.removed]).toEqual([0, [first.json.backup]]);
  const third = await acuse(['backup', '--keep', '2', '--json'], settings);
  expect(third.json.removed).toEqual([]);
  expect(namesIn(folder)).toHaveLength(2);
  const nowhere = await acuse(['backup'], own);
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('ACUSE_BACKUP_FOLDER')]);
});

test('one whose files are not what was copied is not a backup, and no older one goes', async () => {
  const folder = join(tempFolder(), 'bad-disk');
  const before = await acuse(['backup', '--to', folder, '--json'], own);
  let changed = 0;
  const deps = {
    dataDir,
    databaseUrl: readConnection(clusterPaths(dataDir))!.url,
    version: '0.0.0',
    now: () => new Date(),
    onProgress() {
      const draft = namesIn(folder).find((name) => name.endsWith('.unfinished'))!;
      const file = join(folder, draft, 'postgres', 'PG_VERSION');
      if (changed > 0 || !existsSync(file) || statSync(file).size < 3) return;
      writeFileSync(file, '00\n');
      changed++;
    },
  };
  await expect(takeBackupHere(deps, { to: folder, keep: 1, withoutKey: false })).rejects.toThrow(
    /PG_VERSION has other bytes; .* older backups are still there/,
  );
  expect(changed).toBe(1);
  expect(namesIn(folder)).toEqual([before.json.backup.split('/').at(-1)]);
});

test('a backup of a database that stops meanwhile fails, and leaves nothing', async () => {
  const { child, ended, said } = spawned('backup', '--to', backups, '--json');
  await eventually(
    () => namesIn(backups).some((name) => name.endsWith('.unfinished')) || child.exitCode !== null,
  );
  expect(await service.stop()).toBe(0);
  const code = await ended;
  // It may have been done before PostgreSQL was.
  if (code !== 0) expect([code, JSON.parse(said()).error.code]).toEqual([3, 'database_unavailable']);
  expect(namesIn(backups).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  expect(namesIn(backups)).toHaveLength(code === 0 ? 3 : 2);
});

test('of a service that is stopped, without its key, which a restore then needs', async () => {
  const made = await takeBackup('--without-key');
  expect([made.code, made.json.master_key]).toEqual([0, 'left_out']);
  expect(existsSync(join(made.json.backup, 'master.key'))).toBe(false);
  const to = tempFolder();
  const done = await restoreRun(made.json.backup, to);
  expect([done.code, done.json.key_fits]).toEqual([0, false]);
  const other = { ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  const refused = await restoreRun(made.json.backup, tempFolder(), other);
  expect([refused.code, refused.json.error.code]).toEqual([1, 'other_master_key']);
  const key = { ACUSE_MASTER_KEY: readFileSync(join(dataDir, 'master.key'), 'utf8').trim() };
  expect((await restoreRun(made.json.backup, tempFolder(), key)).json.key_fits).toBe(true);
});

/** Only root can be another user. */
test.runIf(process.getuid?.() === 0)('run by root, it belongs to the owner of the folder', async () => {
  const to = tempFolder();
  chownSync(to, OTHER_USER, OTHER_USER);
  const wrongKey = { ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  expect((await restoreRun(backup, to, wrongKey)).json.error.code).toBe('other_master_key');
  expect(readdirSync(to).map((name) => [name, statSync(join(to, name)).uid])).toEqual([
    ['postgres.lock', OTHER_USER],
  ]);
  expect((await restoreRun(backup, to)).code).toBe(0);
  const found = readdirSync(to, { recursive: true, withFileTypes: true });
  const theirs = found.filter((each) => statSync(join(each.parentPath, each.name)).uid === OTHER_USER);
  expect([theirs.length, theirs.some(({ name }) => name === 'pg_control')]).toEqual([found.length, true]);
});

test('what it is not for is refused, with the way that is', async () => {
  const theirs = { DATABASE_URL: 'postgresql://acuse@db.example/acuse' };
  for (const args of [
    ['backup', '--to', backups],
    ['restore', 'run', '--from', backup, '--data-dir', '/nonexistent/x'],
  ]) {
    const refused = await acuse(args, theirs);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('pgBackRest')]);
  }
  const inside = await acuse(['backup', '--to', join(dataDir, 'backups'), '--json'], own);
  expect([inside.code, inside.json.error.code]).toEqual([2, 'inside_data_folder']);
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  expect((await acuse(['backup', '--to', file, '--json'], own)).json.error.code).toBe('not_a_folder');
  const nobody = join(tempFolder(), 'nobody');
  mkdirSync(nobody);
  const none = await acuse(['backup', '--to', backups], { ACUSE_DATA_DIR: nobody });
  expect([none.code, readdirSync(nobody)]).toEqual([2, []]);
});
