import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { acuse } from '../cli/run.ts';
import { customerOf, queryAsWorker } from '../support/sealed-sends.ts';
import { newKey } from '../support/service.ts';
import { openShell } from '../support/shell.ts';

/**
 * A database is restored to an earlier point than outsiders have seen. Without its anchor that would sign a
 * second history in silence and send mail twice.
 */

const folder = tempFolder();
const anchorFolder = mkdtempSync(join(tmpdir(), 'acuse-anchor-'));
const env = { ACUSE_LOG_ANCHOR: anchorFolder, ACUSE_SEAL_INTERVAL: '100ms' };

let database: TestDatabase;
let restored: TestDatabase;
let server: ServerProcess;
/** The log that was lost, as outsiders saw it last. */
let seen = '';
let sealedBefore = '';
let key = '';
let logKey = '';
/** Proof bundles that others have: of before the backup, and of after it. */
const bundles = { before: join(folder, 'before.json'), after: join(folder, 'after.json') };

const { call, sendSealed, keepBundle } = customerOf(() => ({ baseUrl: server.baseUrl, key }));

const start = async (at: TestDatabase) => {
  server = await startServer({ databaseUrl: at.url, dataDir: folder, env });
  key = String(server.sandbox?.['api_key'] ?? key);
  logKey = String(server.sandbox?.['log_key'] ?? logKey);
};
const checkpoint = async () => (await fetch(`${server.baseUrl}/log/checkpoint`)).text();
const sizeOf = (note: string) => Number(note.split('\n')[1]);
const run = (...args: string[]) =>
  acuse(args, { DATABASE_URL: restored.url, ACUSE_DATA_DIR: folder, ...env });

const query = (text: string) => queryAsWorker(restored.url, text);

beforeAll(async () => {
  database = await testDatabase();
  await start(database);
  sealedBefore = await sendSealed();
  await keepBundle(sealedBefore, bundles.before);
  await server.end('SIGTERM');
  restored = await copyDatabase(database.url);
  await start(database);
  await sendSealed();
  await keepBundle(await sendSealed(), bundles.after);
  seen = await checkpoint();
  await server.end('SIGTERM');
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database?.drop();
  await restored?.drop();
  rmSync(anchorFolder, { recursive: true, force: true });
});

test('the database that was published goes on, whatever died in between', async () => {
  await start(database);
  expect((await call('/readyz')).status).toBe(200);
  expect(sizeOf(await checkpoint())).toBeGreaterThanOrEqual(sizeOf(seen));
  await server.end('SIGKILL');
  // An outcome may have been sealed meanwhile.
  seen = (await openAnchorFolder(anchorFolder).read('sandbox.test/log'))!;
});

test('one that is older accepts, delivers and signs nothing, and shows what it had', async () => {
  // Messages that the restored database believes unsent, though they were sent since.
  await query(`insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
    select tenant_id, message_id, 'sandbox.test', now(), now(), now() + interval '1 day' from messages limit 1`);
  const before = await query('select tree_size::int as size from logs');
  await start(restored);
  const ready = await call('/readyz');
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '60']);
  const refused = await call(
    '/v1/messages',
    { from: 'a@sandbox.test', to: 'b@sandbox.test', subject: 'x', text: 'x' },
    { 'idempotency-key': newKey() },
  );
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'unavailable' } });
  expect((await call('/healthz')).status).toBe(200);
  expect((await call(`/v1/messages/${sealedBefore}/evidence`)).status).toBe(200);
  expect(sizeOf(await checkpoint())).toBe(before[0]!['size']);
  expect(server.log()).toContain('it lacks');
  // Longer than several looks for work and for leaves to seal.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await query('select attempt from delivery_queue')).toEqual([{ attempt: 0 }]);
  expect(await query('select tree_size::int as size from logs')).toEqual(before);
  await server.end('SIGTERM');
});

test('acuse doctor says that it is in recovery, and what ends that', async () => {
  const { code, json } = await run('doctor', '--json');
  expect(code).toBe(1);
  expect(json.findings).toContainEqual(
    expect.objectContaining({
      check: 'recovery',
      status: 'problem',
      detail: expect.stringMatching(/^In recovery since .*it lacks/),
      fix: expect.stringContaining('acuse restore release'),
    }),
  );
});

test('acuse restore check says how far it is behind, with exit code 4', async () => {
  const said = await run('restore', 'check', '--json');
  expect(said.code).toBe(4);
  expect(said.json).toMatchObject({
    problemCount: 0,
    against: [{ kind: 'behind', size: sizeOf(seen), from: anchorFolder }],
  });
  const text = await run('restore', 'check');
  expect(text.out).toContain('restore it to a later point');
  expect((await run('log', 'anchor')).code).toBe(4);
});

test('nothing is released while the log is behind what was published', async () => {
  const answers = ['--accept-idempotency-gap', '--without-journal'];
  const said = await run('restore', 'release', ...answers, '--json');
  expect(said).toMatchObject({ code: 4 });
  expect(said.json).toMatchObject({ released: false, reason: 'behind' });
  expect(await query('select pending_since is not null as pending from restore_state')).toEqual([
    { pending: true },
  ]);
  expect(await query('select attempt from delivery_queue')).toEqual([{ attempt: 0 }]);
});

test('a checkpoint that somebody kept says the same as the anchor, and another one contradicts', async () => {
  const file = join(folder, 'seen.txt');
  writeFileSync(file, seen);
  const without = { DATABASE_URL: restored.url, ACUSE_DATA_DIR: folder };
  expect((await acuse(['restore', 'check', '--checkpoint', file], without)).code).toBe(4);
  writeFileSync(file, seen.replace(/— (\S+) .*/, '— $1 AAAAAAAA'));
  expect((await acuse(['restore', 'check', '--checkpoint', file], without)).code).toBe(1);
  writeFileSync(file, 'no checkpoint');
  expect((await acuse(['restore', 'check', '--checkpoint', file], without)).code).toBe(2);
  const alone = await acuse(['restore', 'check'], without);
  expect(alone.out).toContain('Nothing was compared');
});

test('a proof bundle that somebody has says the same, and one that does not hold contradicts', async () => {
  const without = { DATABASE_URL: restored.url, ACUSE_DATA_DIR: folder };
  const held = (file: string) => acuse(['restore', 'check', '--bundle', file, '--json'], without);
  const before = await held(bundles.before);
  expect(before, before.out).toMatchObject({ code: 0 });
  expect(before.json.against[0]).toMatchObject({ kind: expect.stringMatching(/same|continues/) });
  const after = await held(bundles.after);
  expect(after.code).toBe(4);
  expect(after.json.against[0]).toMatchObject({ kind: 'behind' });
  // The manifest of one message with the proof of another.
  type Entries = { entries: { name: string }[] };
  const changed: Entries = JSON.parse(readFileSync(bundles.before, 'utf8'));
  const other: Entries = JSON.parse(readFileSync(bundles.after, 'utf8'));
  const manifest = other.entries.find(({ name }) => name === 'manifest.json')!;
  changed.entries = changed.entries.map((entry) => (entry.name === manifest.name ? manifest : entry));
  const file = join(folder, 'changed.json');
  writeFileSync(file, JSON.stringify(changed));
  const contradicts = await held(file);
  expect([contradicts.code, contradicts.json.against[0].reason]).toEqual([
    1,
    expect.stringContaining('does not prove its own leaf'),
  ]);
  // Outsiders hold what the database says is another leaf.
  const [leaf] = await query('select leaf_index, canonical_hash from leaves order by leaf_index limit 1');
  await query(`update leaves set canonical_hash = sha256('x') where leaf_index = ${leaf!['leaf_index']}`);
  expect((await held(bundles.before)).json.against[0].kind).toBe('fork');
  const hex = (leaf!['canonical_hash'] as Buffer).toString('hex');
  await query(
    `update leaves set canonical_hash = decode('${hex}', 'hex') where leaf_index = ${leaf!['leaf_index']}`,
  );
  writeFileSync(file, 'no bundle');
  expect((await held(file)).code).toBe(2);
});

test('a witness names the size that it knows', async () => {
  const shell = openShell({});
  const made = await shell.run('acuse witness key w --name witness.example/w1 --json');
  writeFileSync(join(shell.folder, 'log.key'), logKey);
  const witness = await shell.start(
    'acuse witness --key w --log log.key --listen 127.0.0.1:0',
    /listening on (http\S+)/,
  );
  const ACUSE_WITNESSES = join(shell.folder, 'witnesses.json');
  const { vkey } = JSON.parse(made);
  writeFileSync(ACUSE_WITNESSES, JSON.stringify({ quorum: 1, witnesses: [{ url: witness.said[1], vkey }] }));
  const ask = (at: TestDatabase) =>
    acuse(['restore', 'check', '--witnesses', '--json'], {
      ...{ DATABASE_URL: at.url, ACUSE_DATA_DIR: folder, ACUSE_WITNESSES },
    });
  expect((await ask(database)).code).toBe(0);
  const older = await ask(restored);
  expect(older.code).toBe(4);
  expect(older.json.against).toMatchObject([{ kind: 'behind', size: sizeOf(seen), from: witness.said[1] }]);
  await witness.stop();
  const unasked = await ask(database);
  expect([unasked.code, unasked.json.unasked]).toEqual([
    3,
    [{ from: witness.said[1], reason: expect.anything() }],
  ]);
});

test('the right database is up to date, and fsck holds it to the anchor too', async () => {
  const own = { DATABASE_URL: database.url, ACUSE_DATA_DIR: folder, ...env };
  const checked = await acuse(['restore', 'check'], own);
  expect(checked.code, checked.out + (await acuse(['fsck'], own)).out).toBe(0);
  expect((await acuse(['log', 'anchor'], own)).code).toBe(0);
  const old = await run('fsck', '--json');
  expect(old.code).toBe(1);
  expect(JSON.stringify(old.json)).toContain('it lacks');
});

test('an anchor that was lost keeps the service from starting, until it is adopted', async () => {
  rmSync(anchorFolder, { recursive: true });
  await expect(start(database)).rejects.toThrow(/cannot be reached/);
  mkdirSync(anchorFolder);
  await expect(start(database)).rejects.toThrow(/acuse log anchor --adopt/);
  const own = { DATABASE_URL: database.url, ACUSE_DATA_DIR: folder, ...env };
  expect((await acuse(['log', 'anchor'], own)).code).toBe(1);
  expect((await acuse(['log', 'anchor', '--adopt'], own)).code).toBe(0);
  await start(database);
  await sendSealed();
  expect((await acuse(['log', 'anchor'], { ...own })).code).toBe(0);
});

test('a process without the role sealing ends too, when its database is set back under it', async () => {
  await server.end('SIGTERM');
  const otherAnchor = mkdtempSync(join(folder, 'anchor-'));
  const own = { DATABASE_URL: restored.url, ACUSE_DATA_DIR: folder, ACUSE_LOG_ANCHOR: otherAnchor };
  expect((await acuse(['log', 'anchor', '--adopt'], own)).code).toBe(0);
  // It was found to be older, and remembers it.
  const answers = ['--accept-idempotency-gap', '--without-journal'];
  expect((await acuse(['restore', 'release', ...answers], own)).code).toBe(0);
  server = await startServer({
    databaseUrl: restored.url,
    dataDir: folder,
    env: { ACUSE_ROLES: 'api,delivery', ACUSE_LOG_ANCHOR: otherAnchor, ACUSE_SEAL_INTERVAL: '100ms' },
  });
  const ended = new Promise((resolve) => server.process.once('exit', resolve));
  const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
  expect(metrics).toContain('acuse_log_anchor_reachable 1');
  // Checkpoints of the database that goes on, while the process is on the older one.
  cpSync(anchorFolder, otherAnchor, { recursive: true });
  await ended;
  expect(server.log()).toContain('starts in recovery');
  expect(server.log()).toContain('it lacks');
  await start(database);
});

test('a log that is contradicted while the service runs ends it', async () => {
  const ended = new Promise((resolve) => server.process.once('exit', resolve));
  rmSync(anchorFolder, { recursive: true });
  mkdirSync(anchorFolder);
  await call(
    '/v1/messages',
    { from: 'a@sandbox.test', to: 'b@sandbox.test', subject: 'x', text: 'x', certified: true },
    { 'idempotency-key': newKey() },
  );
  await ended;
  expect(server.log()).toContain('starts in recovery');
});
