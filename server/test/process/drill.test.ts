import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { superuserOf } from '../../src/platform/database/embedded-postgres.ts';
import { clusterPaths, readConnection } from '../../src/platform/database/postgres-cluster.ts';
import { acuse } from '../cli/run.ts';
import { copyOf, replaceFile } from '../support/damaged-backups.ts';
import { createProcesses, type Service } from '../support/process.ts';

/** A drill says of a backup whether it can be restored, and leaves nothing of it behind. */
const MESSAGES = 5;

const processes = createProcesses();
const dataDir = tempFolder();
const backups = tempFolder();
const anchor = tempFolder();
const own = { ACUSE_DATA_DIR: dataDir, ACUSE_LOG_ANCHOR: anchor };
const env = { ACUSE_MASTER_KEY: '', ACUSE_SEAL_INTERVAL: '100ms', ACUSE_LOG_ANCHOR: anchor };
let service: Service;
let backup = '';

const take = async () => (await acuse(['backup', '--to', backups, '--json'], own)).json.backup as string;
const drill = (from: string, scratch: string, more: Record<string, string> = {}) =>
  acuse(['restore', 'drill', '--from', from, '--scratch', scratch, '--json'], { ...own, ...more });
const sizeOf = async (at: Service) =>
  Number(String((await at.call('GET', '/log/checkpoint')).body).split('\n')[1]);

/** Messages, in the published log with what became of them. */
async function seal(at: Service): Promise<void> {
  const before = await sizeOf(at);
  for (let sent = 0; sent < MESSAGES; sent++) expect((await at.send({ certified: true })).status).toBe(201);
  await eventually(async () => (await sizeOf(at)) === before + 2 * MESSAGES);
}

beforeAll(async () => {
  service = await processes.start({ dataDir, env });
  await seal(service);
  backup = await take();
});
afterAll(() => processes.end());

test('an upgrade is rehearsed on the newest backup, and nothing of it is left', async () => {
  const scratch = tempFolder();
  const args = ['upgrade', '--rehearse', '--scratch', scratch, '--json'];
  const { code, err, json } = await acuse(args, { ...own, ACUSE_BACKUP_FOLDER: backups });
  expect([code, err]).toEqual([0, '']);
  expect(json).toMatchObject({ ok: true, backup, migrations: [], problemCount: 0, key_fits: true });
  expect(json.to_version).toBe(json.version);
  expect(readdirSync(scratch)).toEqual([]);
  const without = await acuse(args, { ...own, ACUSE_BACKUP_FOLDER: tempFolder() });
  expect([without.code, without.json.error.code]).toEqual([1, 'no_backup']);
  const unsaid = await acuse(['upgrade', '--json'], own);
  expect([unsaid.code, unsaid.json.error.code]).toEqual([2, 'usage']);
});

test('a whole backup passes, behind what was published since, and leaves nothing', async () => {
  await seal(service);
  const scratch = tempFolder();
  const { code, err, json } = await drill(backup, scratch);
  expect([code, err]).toEqual([0, '']);
  expect(json).toMatchObject({
    ok: true,
    problemCount: 0,
    key_fits: true,
    checked: { logs: 1, leaves: 2 * MESSAGES, messages: MESSAGES, outcomes: MESSAGES },
    against: [{ kind: 'behind', size: 4 * MESSAGES, database_size: 2 * MESSAGES }],
  });
  expect(Object.keys(json.seconds)).toEqual(['verify', 'restore', 'fsck', 'total']);
  expect(readdirSync(scratch)).toEqual([]);
  const args = ['restore', 'drill', '--from', backup, '--scratch', scratch];
  const { out } = await acuse(args, own);
  expect(out).toContain(`${2 * MESSAGES} more were published since`);
  expect(out).toContain('✓ This backup can be restored');
});

test('one that is damaged, or is of another log than the anchor, does not pass', async () => {
  const scratch = tempFolder();
  const copy = copyOf(backup, (it) => replaceFile(join(it, 'postgres/postgresql.conf'), '# gone'));
  const damaged = await drill(copy, scratch);
  expect([damaged.code, damaged.json.error.code]).toEqual([1, 'backup_damaged']);
  // Of the same name, with another key.
  const theirs = tempFolder();
  const databaseUrl = await processes.database();
  const other = await processes.start({ databaseUrl, env: { ...env, ACUSE_LOG_ANCHOR: theirs } });
  await seal(other);
  await other.stop();
  const forked = await drill(backup, scratch, { ACUSE_LOG_ANCHOR: theirs });
  expect(forked.code).toBe(1);
  expect(forked.json).toMatchObject({ ok: false, problemCount: 0, against: [{ kind: 'fork' }] });
  expect(readdirSync(scratch)).toEqual([]);
});

test('one that is killed leaves a copy that the next one removes; there is one at a time', async () => {
  const scratch = tempFolder();
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const args = [program.path, 'restore', 'drill', '--from', backup, '--scratch', scratch];
  const start = () => spawn(process.execPath, args, { env: { ...process.env, ...own }, stdio: 'ignore' });
  const child = start();
  const inner = join(scratch, `acuse-drill-${process.getuid?.()}`, 'data');
  await eventually(() => existsSync(join(inner, 'postgres.json')) || child.exitCode !== null);
  child.kill('SIGSTOP');
  const second = await drill(backup, scratch);
  expect([second.code, second.json.error.code]).toEqual([3, 'drill_under_way']);
  child.kill('SIGKILL');
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(readFileSync(join(inner, 'master.key'), 'utf8')).toBe(
    readFileSync(join(dataDir, 'master.key'), 'utf8'),
  );
  expect((await drill(backup, scratch)).code).toBe(0);
  expect(readdirSync(scratch)).toEqual([]);
});

test("somebody else's folder in the scratch place is not written to", async () => {
  const scratch = tempFolder();
  const elsewhere = tempFolder();
  symlinkSync(elsewhere, join(scratch, `acuse-drill-${process.getuid?.()}`));
  const refused = await drill(backup, scratch);
  expect([refused.code, refused.json.error.code]).toEqual([2, 'unusable_scratch']);
  const open = tempFolder();
  mkdirSync(join(open, `acuse-drill-${process.getuid?.()}`), { mode: 0o755 });
  expect((await drill(backup, open)).json.error.code).toBe('unusable_scratch');
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('evidence that does not hold in the database is found', async () => {
  const { url } = readConnection(clusterPaths(dataDir))!;
  const client = new pg.Client(superuserOf(url));
  await client.connect();
  const changed = await client.query(
    "update leaves set canonical_hash = sha256('x') where leaf_index = 0 returning 1",
  );
  await client.end();
  expect(changed.rowCount).toBe(1);
  const { code, json } = await drill(await take(), tempFolder());
  expect([code, json.ok]).toEqual([1, false]);
  expect(json.problems.map(({ subject }: { subject: string }) => subject).join()).toContain('leaf 0');
});
