import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { acuse } from '../cli/run.ts';
import { startCommand } from '../support/command-process.ts';
import { customerOf, queryAsWorker } from '../support/sealed-sends.ts';

/**
 * A database that cannot be restored far enough is brought up to what outsiders have seen: the log goes on
 * with its key, and whoever watched it before finds nothing wrong.
 */

const folder = tempFolder();
const at = (name: string) => join(folder, name);
for (const name of ['anchor', 'mirror']) mkdirSync(at(name));
const env = {
  ACUSE_LOG_ANCHOR: at('anchor'),
  ACUSE_LOG_MIRROR: at('mirror'),
  ACUSE_SEAL_INTERVAL: '100ms',
};
const ANSWERS = ['--accept-idempotency-gap', '--without-journal'];

let database: TestDatabase;
let restored: TestDatabase;
let server: ServerProcess;
let key = '';

const { call, sendSealed, keepBundle } = customerOf(() => ({ baseUrl: server.baseUrl, key }));

const start = async (of: TestDatabase) => {
  server = await startServer({ databaseUrl: of.url, dataDir: folder, env });
  key = String(server.sandbox?.['api_key'] ?? key);
  writeFileSync(at('log.key'), String(server.sandbox?.['log_key'] ?? ''));
};
const own = (of: TestDatabase) => ({ DATABASE_URL: of.url, ACUSE_DATA_DIR: folder, ...env });
const run = (...args: string[]) => acuse(args, own(restored));
const monitor = () =>
  acuse(['monitor', `${server.baseUrl}/log`, '--key', at('log.key'), '--state', at('state.json'), '--json']);

const query = (text: string) => queryAsWorker(restored.url, text);

beforeAll(async () => {
  database = await testDatabase();
  await start(database);
  await keepBundle(await sendSealed(), at('before.json'));
  await server.end('SIGTERM');
  restored = await copyDatabase(database.url);
  await start(database);
  // Seen in the middle too: that checkpoint must be found again.
  await sendSealed();
  expect(await monitor()).toMatchObject({ code: 0 });
  await sendSealed();
  await keepBundle(await sendSealed(), at('after.json'));
  expect(await monitor()).toMatchObject({ code: 0 });
  await server.end('SIGKILL');
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database?.drop();
  await restored?.drop();
});

test('the mirror has all that was published, also of a process that was killed', async () => {
  const whole = await acuse(['log', 'mirror', '--json'], own(database));
  expect(whole, whole.out).toMatchObject({ code: 0 });
  expect(whole.json.logs).toMatchObject([{ origin: 'sandbox.test/log', state: 'whole' }]);
  expect(whole.json.logs[0].size).toBeGreaterThan(3);
});

test('a mirror that is not there, or lacks a leaf, changes nothing', async () => {
  const before = await query('select tree_size from logs');
  renameSync(at('mirror'), at('away'));
  expect(await run('restore', 'catch-up')).toMatchObject({ code: 3 });
  mkdirSync(at('mirror'));
  const lacks = await run('restore', 'catch-up', '--json');
  expect(lacks).toMatchObject({ code: 4 });
  expect(lacks.json.logs).toMatchObject([{ state: 'lacks' }]);
  expect((await run('restore', 'catch-up')).out).toContain('nothing was changed');
  renameSync(at('mirror'), at('empty'));
  renameSync(at('away'), at('mirror'));
  expect(await query('select tree_size from logs')).toEqual(before);
  expect(await acuse(['restore', 'catch-up'], { DATABASE_URL: restored.url })).toMatchObject({ code: 2 });
});

test('several at once, killed at any moment, leave the log as it was or caught up', async () => {
  const sizes = new Set((await query('select tree_size from logs')).map((row) => Number(row['tree_size'])));
  for (const waitMs of [300, 500, 700, 900]) {
    const both = [0, 1].map(() => startCommand(['restore', 'catch-up'], own(restored)));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    for (const { child } of both) child.kill('SIGKILL');
    await Promise.all(both.map(({ ended }) => ended));
    sizes.add(Number((await query('select tree_size from logs'))[0]!['tree_size']));
  }
  const both = [0, 1].map(() => startCommand(['restore', 'catch-up', '--json'], own(restored)));
  const codes = await Promise.all(both.map(({ ended }) => ended));
  expect(codes, both.map(({ stderr }) => stderr()).join()).toEqual([0, 0]);
  sizes.add(Number((await query('select tree_size from logs'))[0]!['tree_size']));
  expect(sizes.size).toBe(2);
  expect((await run('log', 'anchor')).code).toBe(0);
  const checked = await run('restore', 'check', '--json');
  expect(checked, checked.out).toMatchObject({ code: 0 });
  expect(checked.json).toMatchObject({
    problemCount: 0,
    restored: { pending: { reason: expect.any(String) } },
  });
  expect(checked.json.lost_leaves).toBeGreaterThanOrEqual(3);
});

test('it is not sent from before its release, though the log is as it was published', async () => {
  await start(restored);
  expect((await call('/readyz')).status).toBe(503);
  await server.end('SIGTERM');
  expect(await run('restore', 'release')).toMatchObject({ code: 1 });
  expect(await run('restore', 'release', ...ANSWERS)).toMatchObject({ code: 0 });
});

test('a monitor with its old state says ok, new messages are sealed, and old bundles hold', async () => {
  await start(restored);
  expect((await call('/readyz')).status).toBe(200);
  const id = await sendSealed();
  await keepBundle(id, at('new.json'));
  await vi.waitFor(async () => {
    const seen = await monitor();
    expect(seen, seen.out).toMatchObject({ code: 0 });
    expect(seen.json).toMatchObject({ status: 'ok', alerts: [] });
  }, PATIENCE);
  for (const name of ['before.json', 'after.json', 'new.json'])
    expect(await acuse(['verify', at(name), '--json']), name).toMatchObject({ code: 5 });
  await server.end('SIGTERM');
  const checked = await run('fsck', '--json');
  expect(checked, checked.out).toMatchObject({ code: 0 });
  expect(await run('log', 'mirror')).toMatchObject({ code: 0 });
  expect(readdirSync(at('empty'))).toEqual([]);
});
