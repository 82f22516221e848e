import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLogEnd } from '@acuse/evidence/log-end';
import { parseVerifierKey } from '@acuse/evidence/verifier-key';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { startCommand } from '../support/command-process.ts';
import { customerOf, queryAsWorker } from '../support/sealed-sends.ts';

/**
 * A database that cannot be restored far enough, without a mirror: its log ends in public, another one goes
 * on, and what the old one sealed stays valid.
 */

const folder = tempFolder();
const at = (name: string) => join(folder, name);
mkdirSync(at('anchor'));
const env = {
  ACUSE_LOG_ANCHOR: at('anchor'),
  ACUSE_SEAL_INTERVAL: '100ms',
};
const ANSWERS = ['--accept-idempotency-gap', '--without-journal'];

let database: TestDatabase;
let restored: TestDatabase;
let server: ServerProcess;
let key = '';
let logKey = '';
let oldKey = '';
let sealedBefore = '';

const { call, sendSealed, keepBundle } = customerOf(() => ({ baseUrl: server.baseUrl, key }));

const start = async (of: TestDatabase) => {
  server = await startServer({ databaseUrl: of.url, dataDir: folder, env });
  key = String(server.sandbox?.['api_key'] ?? key);
  logKey = String(server.sandbox?.['log_key'] ?? '');
};
const own = (of: TestDatabase) => ({ DATABASE_URL: of.url, ACUSE_DATA_DIR: folder, ...env });
const run = (...args: string[]) => acuse(args, own(restored));
const monitor = (log: string, state: string) =>
  acuse(['monitor', `${server.baseUrl}/log`, '--key', log, '--state', at(state), '--json']);

const query = (text: string) => queryAsWorker(restored.url, text);

beforeAll(async () => {
  database = await testDatabase();
  await start(database);
  oldKey = logKey;
  sealedBefore = await sendSealed();
  await keepBundle(sealedBefore, at('before.json'));
  await server.end('SIGTERM');
  restored = await copyDatabase(database.url);
  await start(database);
  await sendSealed();
  await keepBundle(await sendSealed(), at('after.json'));
  expect(await monitor(oldKey, 'old.json')).toMatchObject({ code: 0 });
  await server.end('SIGKILL');
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database?.drop();
  await restored?.drop();
});

const END = ['log', 'end', '--reason', 'disk and WAL lost'];
const logs = () =>
  query('select origin, tree_size, ended_at, private_key_sealed from logs order by created_at');

test('a log that is what was published is not ended, nor one without an anchor', async () => {
  const healthy = await acuse([...END, '--yes'], own(database));
  expect(healthy).toMatchObject({ code: 1, err: expect.stringContaining('continues what was published') });
  expect(await acuse([...END, '--yes'], { DATABASE_URL: restored.url })).toMatchObject({ code: 2 });
});

test('nothing is ended without --yes, a reason, or under a name that there is', async () => {
  const before = await logs();
  const asked = await run(...END);
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.out).toContain('Nothing was changed');
  expect(asked.out).toContain('sandbox.test/log-2 begins');
  expect(await run('log', 'end', '--yes')).toMatchObject({ code: 2 });
  for (const origin of ['sandbox.test/log', 'a name'])
    expect(await run(...END, '--yes', '--origin', origin)).toMatchObject({ code: 2 });
  expect(await logs()).toEqual(before);
});

test('several at once, killed at any moment, end it once', async () => {
  for (const waitMs of [300, 600]) {
    const both = [0, 1].map(() => startCommand([...END, '--yes'], own(restored)));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    for (const { child } of both) child.kill('SIGKILL');
    await Promise.all(both.map(({ ended }) => ended));
    const now = await logs();
    expect(now.length === 1 ? now[0]!['ended_at'] : null).toBeNull();
  }
  const both = [0, 1].map(() => startCommand([...END, '--yes'], own(restored)));
  await Promise.all(both.map(({ ended }) => ended));
  const [old, next, ...more] = await logs();
  expect(more).toEqual([]);
  expect(old).toMatchObject({ origin: 'sandbox.test/log', ended_at: expect.any(Date) });
  expect((old!['private_key_sealed'] as Buffer).length).toBe(0);
  expect(next).toMatchObject({ origin: 'sandbox.test/log-2', ended_at: null, tree_size: '0' });
  expect((await run(...END, '--yes')).err).toContain('nothing to end');
});

test('after its release the service seals in the new log, and what the old one sealed holds', async () => {
  await start(restored);
  expect((await call('/readyz')).status).toBe(503);
  await server.end('SIGTERM');
  expect(await run('restore', 'release', ...ANSWERS)).toMatchObject({ code: 0 });
  const size = (await logs())[0]!['tree_size'];
  await start(restored);
  expect((await call('/readyz')).status).toBe(200);
  expect(logKey).toMatch(/^sandbox\.test\/log-2\+/);
  await keepBundle(await sendSealed(), at('new.json'));
  for (const name of ['before.json', 'after.json', 'new.json'])
    expect(await acuse(['verify', at(name), '--json']), name).toMatchObject({ code: 5 });
  const verified = await call('/v1/verify', { message_id: sealedBefore });
  expect(await verified.json()).toMatchObject({ valid: true });
  // No checkpoint of the old one is signed any more.
  expect((await logs())[0]!['tree_size']).toBe(size);
  expect((await (await call('/log/checkpoint')).text()).split('\n')[0]).toBe('sandbox.test/log-2');
});

test('a monitor of the old log is told where it goes on, by the old key, and one of the new finds it well', async () => {
  const told = await monitor(oldKey, 'old.json');
  expect(told.code).not.toBe(0);
  expect(told.json.alerts).toMatchObject([
    { code: 'ended', detail: expect.stringContaining(`--key ${logKey}`), notes: [expect.any(String)] },
  ]);
  const end = openLogEnd(told.json.alerts[0].notes[0], parseVerifierKey(oldKey, sha256), sha256);
  expect(end).toMatchObject({ origin: 'sandbox.test/log', reason: 'disk and WAL lost' });
  expect(end.published.size).toBeGreaterThan(end.kept.size);
  expect(await monitor(logKey, 'new-state.json')).toMatchObject({ code: 0 });
  await server.end('SIGTERM');
  const checked = await run('fsck', '--json');
  expect(checked.json.problems).toEqual([]);
  expect(await run('log', 'anchor')).toMatchObject({ code: 0 });
});
