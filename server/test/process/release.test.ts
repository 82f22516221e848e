import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { type ServerProcess, startServer } from '@acuse/testkit/server-process';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { acuse } from '../cli/run.ts';
import { queryAsWorker } from '../support/sealed-sends.ts';
import { newKey } from '../support/service.ts';

/**
 * A database is restored to an earlier point: what was revoked, suppressed and erased since is so again after
 * the release, and nothing that waited in it is sent before somebody says so.
 */
const folder = tempFolder();
const journal = mkdtempSync(join(folder, 'journal-'));
const anchor = mkdtempSync(join(folder, 'anchor-'));
const env = { ACUSE_JOURNAL: journal, ACUSE_LOG_ANCHOR: anchor, ACUSE_SEAL_INTERVAL: '100ms' };
/** Enough that a release takes longer than it takes to kill it. */
const SUPPRESSED = 1_500;

let database: TestDatabase;
let restored: TestDatabase;
let server: ServerProcess;
let key = '';
let tenantId = '';
let revokedKey = { id: '', key: '' };
/** Of a message that was accepted after the backup. */
const lostKey = newKey();
const ids = { erased: '', waiting: '', waitingErased: '', bounced: '', cancelled: '', later: '' };

async function call(
  method: string,
  path: string,
  body?: object | string,
  as = key,
  idempotencyKey = newKey(),
) {
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${as}`,
      'idempotency-key': idempotencyKey,
      ...(body !== undefined && {
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const LOST = {
  from: 'a@sandbox.test',
  to: 'delivered+9@sandbox.test',
  subject: 'x',
  text: 'x',
  certified: false,
};

async function send(to: string, fields: object = {}): Promise<string> {
  const message = { from: 'a@sandbox.test', to, subject: 'x', text: 'x', certified: false, ...fields };
  const { status, body } = await call('POST', '/v1/messages', message);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}
const statusOf = async (id: string) => (await call('GET', `/v1/messages/${id}`)).body.status;
const until = (id: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(id)).toBe(status), PATIENCE);

async function start(at: TestDatabase): Promise<void> {
  server = await startServer({ databaseUrl: at.url, dataDir: folder, env });
  key = String(server.sandbox?.['api_key'] ?? key);
  tenantId = String(server.sandbox?.['tenant_id'] ?? tenantId);
}
const settings = (at: TestDatabase) => ({ DATABASE_URL: at.url, ACUSE_DATA_DIR: folder, ...env });
const run = (...args: string[]) => acuse(args, settings(restored));
const release = (...more: string[]) => run('restore', 'release', ...more, '--json');
const ANSWERS = ['--accept-idempotency-gap', '--accept-scheduled'];

const query = (text: string, values?: unknown[]) => queryAsWorker(restored.url, text, values);
const suppressed = async () => Number((await query('select count(*) as n from suppressions'))[0]!['n']);
const isPending = async () =>
  (await query('select pending_since is not null as p from restore_state'))[0]!['p'];

/** A release as a process of its own. */
function spawnRelease() {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const child = spawn(process.execPath, [program.path, 'restore', 'release', ...ANSWERS, '--json'], {
    env: { ...process.env, ...settings(restored) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (bytes) => (out += bytes));
  return { child, ended: once(child, 'exit').then(([code]) => ({ code, out })) };
}

beforeAll(async () => {
  database = await testDatabase();
  await start(database);
  // The backup's content: messages that wait, and one that is to be erased later.
  await send('delivered@sandbox.test', { certified: true });
  ids.erased = await send('delivered@sandbox.test');
  await until(ids.erased, 'sent');
  const { body } = await call('POST', '/v1/api-keys', { name: 'leaked', scopes: ['evidence:read'] });
  revokedKey = body;
  expect((await call('GET', '/v1/messages', undefined, revokedKey.key)).status).toBe(200);
  expect((await call('POST', '/v1/suppressions', { address: 'back@example.com' })).status).toBe(201);
  const own = settings(database);
  // A service that runs may see a pause late on a busy machine; one that starts reads them first.
  await server.end('SIGTERM');
  await acuse(['queue', 'pause', '--tenant', tenantId, '--reason', 'x'], own);
  await start(database);
  ids.waiting = await send('delivered+1@sandbox.test');
  ids.waitingErased = await send('delivered+2@sandbox.test');
  ids.bounced = await send('delivered+4@sandbox.test');
  ids.cancelled = await send('delivered+5@sandbox.test');
  ids.later = await send('delivered+3@sandbox.test', {
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await vi.waitFor(async () => {
    const size = Number(String((await call('GET', '/log/checkpoint')).body).split('\n')[1]);
    expect(size).toBe(2);
  }, PATIENCE);
  await server.end('SIGTERM');
  restored = await copyDatabase(database.url);

  // Changes after the backup.
  await start(database);
  await acuse(['queue', 'resume', '--tenant', tenantId], own);
  await until(ids.waiting, 'sent');
  await until(ids.waitingErased, 'sent');
  for (const id of [ids.erased, ids.waitingErased])
    expect((await acuse(['messages', 'erase', id, '--reason', 'request 4711'], own)).code).toBe(0);
  expect((await call('DELETE', `/v1/api-keys/${revokedKey.id}`)).status).toBe(204);
  const list = await call('GET', '/v1/suppressions?address=back@example.com');
  expect((await call('DELETE', `/v1/suppressions/${list.body.data[0].id}`)).status).toBe(204);
  const csv = ['address', ...Array.from({ length: SUPPRESSED }, (_, each) => `gone${each}@example.com`)];
  const imported = await call('POST', '/v1/suppressions/import', csv.join('\n'));
  expect(imported.body, JSON.stringify(imported)).toMatchObject({ created: SUPPRESSED });
  expect((await call('POST', '/v1/messages', LOST, key, lostKey)).status).toBe(201);
  await send('bounced@sandbox.test');
  await vi.waitFor(async () => {
    const found = await call('GET', '/v1/suppressions?source=bounce');
    expect(found.body.data).toHaveLength(1);
  }, PATIENCE);
  await server.end('SIGTERM');
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await database?.drop();
  await restored?.drop();
});

test('the journal names nobody, and says nothing of a message that was erased', () => {
  const text = readdirSync(journal)
    .map((name) => readFileSync(join(journal, name), 'utf8'))
    .join('');
  expect(text).toContain(ids.erased);
  // Words that no id or hash in it can hold by chance.
  expect(text).not.toMatch(/example\.com|sandbox\.test|request/);
});

test('a service does not run on it, though its log is what was published', async () => {
  expect((await run('log', 'anchor')).code).toBe(0);
  await start(restored);
  expect((await call('GET', '/readyz')).status).toBe(503);
  expect(server.log()).toContain('acuse restore release');
  // Longer than several looks for work.
  await query('delete from paused_tenants');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await query('select attempt from delivery_queue')).toEqual(Array(4).fill({ attempt: 0 }));
});

test('a release asks what it cannot make good, and changes nothing until it is answered', async () => {
  const asked = await release();
  expect(asked.code).toBe(1);
  expect(asked.json.questions.map(({ option }: { option: string }) => option)).toEqual(ANSWERS);
  expect(asked.json.missing).toEqual({
    erased: 2,
    key_revoked: 1,
    unsuppressed: 1,
    suppressed: SUPPRESSED + 1,
  });
  expect(asked.json.journal).toMatchObject({ accepted_lost: 2 });
  expect(new Date(asked.json.restored_to).getTime()).toBeLessThan(Date.now());
  expect((await run('restore', 'release')).out).toContain('--accept-idempotency-gap');
  expect((await release(ANSWERS[0]!)).code).toBe(1);
  expect([await suppressed(), await isPending()]).toEqual([1, true]);
  const without = { ...settings(restored), ACUSE_JOURNAL: '' };
  const options = (await acuse(['restore', 'release', '--json'], without)).json.questions;
  expect(options.map(({ option }: { option: string }) => option)).toContain('--without-journal');
});

test('a journal with lines of a newer version, or of nobody, is not taken for a whole one', async () => {
  const file = join(journal, 'by-hand.journal');
  writeFileSync(file, '{"v":2,"kind":"what comes"}\n');
  const newer = await release(...ANSWERS);
  expect([newer.code, newer.json.error.code]).toEqual([1, 'newer_version']);
  writeFileSync(file, 'revoke key 17 too\n');
  const asked = await release(...ANSWERS);
  expect([asked.code, asked.json.questions.at(-1).option]).toEqual([1, '--skip-unreadable']);
  expect(await suppressed()).toBe(1);
  rmSync(file);
  // Cut off by a crash: nobody was answered.
  const [own] = readdirSync(journal).filter((name) => name.endsWith('.journal'));
  appendFileSync(join(journal, own!), '{"v":1,"installation":"0');
  const torn = await release();
  expect(torn.json.journal).toMatchObject({ torn: [expect.stringContaining(own!)], unreadable: [] });
});

test('a release that is killed is done again, and of two at once one does it', async () => {
  let killed = 0;
  for (let tries = 0; killed < 2 && tries < 30; tries++) {
    const before = await suppressed();
    const { child, ended } = spawnRelease();
    await vi.waitFor(async () => expect(await suppressed()).toBeGreaterThan(before), PATIENCE);
    child.kill('SIGKILL');
    await ended;
    // Nothing waits in the queue, and nothing is released.
    expect([await isPending(), await query('select from delivery_queue')]).toEqual([true, []]);
    if ((await suppressed()) < SUPPRESSED) killed++;
  }
  expect(killed).toBe(2);
  const both = await Promise.all([spawnRelease().ended, spawnRelease().ended]);
  expect(both.map(({ code }) => code).sort()[0]).toBe(0);
  for (const { code, out } of both) if (code !== 0) expect(JSON.parse(out).error.code).toBe('conflict');
  expect(await isPending()).toBe(false);
  expect(await suppressed()).toBe(SUPPRESSED + 1);
  const again = await release();
  expect(again).toMatchObject({ code: 0 });
  expect(again.json).toMatchObject({ released: true, held: 0, replayed: {} });
});

test('a process in recovery ends by itself then, and the next one runs', async () => {
  if (server.process.exitCode === null) await once(server.process, 'exit');
  expect(server.log()).toContain('was released');
  await start(restored);
  expect((await call('GET', '/readyz')).status).toBe(200);
});

test('a request that was accepted after the backup is not made again', async () => {
  const again = await call('POST', '/v1/messages', LOST, key, lostKey);
  expect([again.status, again.body.error.code]).toEqual([422, 'accepted_before']);
  expect(await query("select from messages where recipient_address = 'delivered+9@sandbox.test'")).toEqual(
    [],
  );
});

test('what was revoked, suppressed and erased after the backup is so again', async () => {
  const refused = await call('GET', '/v1/messages', undefined, revokedKey.key);
  expect(refused.status).toBe(401);
  const to = { from: 'a@sandbox.test', subject: 'x', text: 'x', certified: false };
  const gone = await call('POST', '/v1/messages', { ...to, to: 'gone7@example.com' });
  expect([gone.status, gone.body.error.code]).toEqual([422, 'recipient_suppressed']);
  expect((await call('GET', '/v1/suppressions?address=back@example.com')).body.data).toEqual([]);
  expect((await call('GET', '/v1/suppressions?source=bounce')).body.data).toHaveLength(1);
  const erased = await query(
    `select m.erased_at is not null as erased, d.reason, c.message_id is not null as content
       from messages m left join content_deletions d using (tenant_id, message_id)
       left join message_contents c using (tenant_id, message_id) where m.message_id = any ($1::uuid[])`,
    [[ids.erased, ids.waitingErased]],
  );
  expect(erased).toEqual(Array(2).fill({ erased: true, reason: 'request 4711', content: false }));
});

test('what waited is sent when the operator says so, and never what was erased', async () => {
  // Longer than several looks for work.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect([await statusOf(ids.waiting), await statusOf(ids.later)]).toEqual(['queued', 'scheduled']);
  const shown = await run('queue', 'show', ids.waiting);
  expect(shown.out).toContain(`acuse queue resolve ${ids.waiting}`);
  const byAccount = await call('POST', `/v1/messages/${ids.waiting}/cancel`);
  expect([byAccount.status, byAccount.body.error.message]).toEqual([
    409,
    expect.stringContaining('operator'),
  ]);
  expect((await run('queue', 'list')).out).toContain('3 more held since a restore');
  const listed = await run('queue', 'unknown', '--json');
  expect(listed.json).toMatchObject({ total: 3 });
  expect((await run('queue', 'resolve', ids.bounced, '--bounce')).code).toBe(0);
  expect((await run('queue', 'resolve', ids.bounced, '--send')).code).toBe(1);
  expect((await run('queue', 'cancel', ids.cancelled)).code).toBe(0);
  const sent = await run('queue', 'resolve', '--all', '--send', '--json');
  expect(sent.json).toEqual({ resolution: 'send', done: 1 });
  await until(ids.waiting, 'sent');
  expect([await statusOf(ids.bounced), await statusOf(ids.cancelled)]).toEqual(['bounced', 'cancelled']);
  expect((await run('queue', 'unknown', '--json')).json.total).toBe(0);
  // The erased message waits nowhere, and was not sent.
  const unsent = 'select from messages where message_id = $1 and sent_at is null';
  expect(await query(unsent, [ids.waitingErased])).toHaveLength(1);
  expect((await run('fsck')).code).toBe(0);
});

test('a journal that was lost, or is not mounted, is warned of', async () => {
  await server.end('SIGTERM');
  expect(server.log()).not.toContain('is its folder mounted');
  const empty = { ...env, ACUSE_JOURNAL: mkdtempSync(join(folder, 'journal-')) };
  server = await startServer({ databaseUrl: restored.url, dataDir: folder, env: empty });
  expect(server.log()).toContain('is its folder mounted');
  await server.end('SIGTERM');
  // A mark that no process writes outside is none: the database is ahead of the journal that it had.
  await start(restored);
  expect((await call('GET', '/readyz')).status).toBe(200);
});

test('a database that nothing was lost of is released only when somebody says that it was restored', async () => {
  expect((await run('restore', 'begin', '--reason', 'tried')).code).toBe(0);
  const running = await release(...ANSWERS);
  expect(running.json.error.message).toContain('stop them first');
  await server.end('SIGTERM');
  expect((await release(...ANSWERS)).json).toMatchObject({ released: true, replayed: {} });
  await start(restored);
  expect((await call('GET', '/readyz')).status).toBe(200);
});
