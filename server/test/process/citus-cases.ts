import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { claimSelected, countSelected, makeSelectedDue } from '../../src/delivery/operate/bulk-store.ts';
import { distribute } from '../../src/platform/database/distribute.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { TABLE_CLASSES } from '../../src/platform/database/table-classes.ts';
import { firstIdAt, newId } from '../../src/platform/ids.ts';
import { addTenant } from '../evidence/support.ts';
import { DAY_MS } from '../operate/retention/support.ts';
import { CITUS_URL, type CitusDatabase, citusDatabase, query } from '../support/citus.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { startTestService } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';

/**
 * The same day of a service on one PostgreSQL and on a cluster: what each way in and each command says of it
 * must be the same. And who may see what, on each node.
 */
const processes = createProcesses();
/** Of all that works on one database. */
const KEY = processes.masterKey;
let hooks: Server;
/** Types of what webhooks told, by the run that they belong to. */
const told = new Map<string, string[]>();

beforeAll(async () => {
  hooks = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const [run, status] = request.url!.split('?');
      if (status === undefined) told.set(run!, [...(told.get(run!) ?? []), JSON.parse(body).type]);
      response.writeHead(Number(status ?? 200)).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => hooks.once('listening', resolve));
});
afterAll(async () => {
  await processes.end();
  hooks.close();
});

interface Command {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly said: any;
}

/** A command as an operator runs it. */
async function command(databaseUrl: string, dataDir: string, ...args: string[]): Promise<Command> {
  return commandWith({ DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir }, ...args);
}

async function commandWith(settings: Record<string, string>, ...args: string[]): Promise<Command> {
  const program = inject('serverProgram') as { path: string };
  const env = { PATH: process.env['PATH'], ...settings };
  const ended = await promisify(execFile)(process.execPath, [program.path, ...args, '--json'], { env }).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => ({
      stdout: error.stdout || error.stderr,
      code: error.code,
    }),
  );
  return { code: ended.code, said: JSON.parse(ended.stdout || 'null') };
}

/** Of an endpoint that answers 500 and of one that answers 410. */
async function refusals(service: Service, failing: string, gone: string) {
  const first = async (id: string) => {
    const { body } = await service.call('GET', `/v1/webhooks/${id}/deliveries`);
    return [body.data.at(-1)?.status, body.data.at(-1)?.last_status_code];
  };
  await eventually(async () => (await first(failing))[1] === 500 && (await first(gone))[1] === 410);
  const { body } = await service.call('GET', `/v1/webhooks/${gone}`);
  const pending = await service.call('GET', `/v1/webhooks/${failing}/deliveries?status=pending&limit=1`);
  return [await first(failing), await first(gone), body.enabled, body.disabled_reason, pending.status];
}

/** The outcome of a day, without what no two days share: ids, times and hashes. */
async function day(databaseUrl: string, run: string) {
  const service = await processes.start({
    databaseUrl,
    env: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const ask = (path: string) => service.call('GET', path);
  const url = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}${run}`;
  const hook = await service.call('POST', '/v1/webhooks', { url, events: ['*'] });

  if (hook.status !== 201) throw new Error(JSON.stringify(hook.body));
  const failing = await service.call('POST', '/v1/webhooks', { url: `${url}?500`, events: ['email.sent'] });
  const ended = await service.call('POST', '/v1/webhooks', { url: `${url}?410`, events: ['email.sent'] });
  const sent = await service.send({ to: 'delivered@sandbox.test' }, `key-${run}`);
  const again = await service.send({ to: 'delivered@sandbox.test' }, `key-${run}`);
  const plain = await service.send({ certified: false, to: 'delivered@sandbox.test' });
  const bounced = await service.send({ to: 'bounced@sandbox.test' });
  const late = await service.send({ to: 'async-bounced@sandbox.test' });
  const complained = await service.send({ to: 'complained@sandbox.test' });
  const later = await service.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  const batch = await service.call(
    'POST',
    '/v1/messages/batch',
    Array.from({ length: 5 }, (_, n) => ({
      from: 'billing@sandbox.test',
      to: `delivered+${n}@sandbox.test`,
      subject: 'Hello',
      text: 'Hello',
    })),
  );
  await service.until(sent.body.id, 'sent', 30_000);
  await service.until(plain.body.id, 'sent', 30_000);
  await service.until(bounced.body.id, 'bounced', 30_000);
  await service.until(late.body.id, 'bounced', 30_000);
  await service.until(complained.body.id, 'complained', 30_000);
  const demanded = await service.call('POST', `/v1/messages/${sent.body.id}/seal`);
  await eventually(
    async () => (await ask(`/v1/messages/${bounced.body.id}`)).body.sealed_at !== null,
    30_000,
  );
  const cancelled = await service.call('POST', `/v1/messages/${later.body.id}/cancel`);
  const verified = await service.call('POST', '/v1/verify', { message_id: sent.body.id });
  const bundle = await ask(`/v1/messages/${sent.body.id}/proof-bundle`);
  await eventually(async () => (told.get(run) ?? []).filter((type) => type === 'email.sealed').length >= 3);

  const refused = await refusals(service, failing.body.id, ended.body.id);
  const { dataDir } = service;
  const status = await command(databaseUrl, dataDir, 'sealing', 'status');
  const queue = await command(databaseUrl, dataDir, 'queue', 'show');
  const waiting = await command(databaseUrl, dataDir, 'queue', 'list');
  const fsck = await command(databaseUrl, dataDir, 'fsck');
  await addOld(databaseUrl, (await ask('/v1/account')).body.id);
  const swept = await command(databaseUrl, dataDir, 'retention', 'run');
  const erased = await command(
    databaseUrl,
    dataDir,
    ...['messages', 'erase', bounced.body.id, '--reason', 'request 1', '--force'],
  );
  const gone = await ask(`/v1/messages/${bounced.body.id}/raw`);
  const after = await service.call('POST', '/v1/verify', { message_id: bounced.body.id });
  const list = await ask('/v1/messages?limit=50');
  const rates = await ask('/v1/rates');
  expect(await service.stop()).toBe(0);
  return {
    hook: hook.status,
    sends: [sent, again, plain, bounced, late, complained, later, batch].map(({ status }) => status),
    same: again.body.id === sent.body.id,
    demanded: demanded.status,
    cancelled: [cancelled.status, cancelled.body.status],
    verified: [verified.status, verified.body.valid],
    bundle: bundle.status,
    refused,
    told: [...new Set(told.get(run))].sort(),
    status: [status.code, status.said.logs?.length, Object.keys(status.said).sort()],
    queue: [queue.code, Object.keys(queue.said).sort()],
    waiting: [waiting.code, waiting.said],
    swept: [swept.code, swept.said],
    erased: erased.code,
    gone: gone.status,
    after: [after.status, after.body.valid],
    fsck: [fsck.code, fsck.said.problemCount, fsck.said.problems],
    list: statuses(list.body.data),
    rates: rates.status,
    warned: warnings(service),
  };
}

/** Of four that were held: one is sent, one cancelled, two given up; what is scheduled stays. */
const RESOLVED = ['bounced true', 'bounced true', 'cancelled true', 'scheduled true', 'sent true'];

/** The outcome of a release after a restore, and what becomes of the mail that it held. */
async function release(databaseUrl: string) {
  const settings = {
    ACUSE_JOURNAL: mkdtempSync(join(tempFolder(), 'journal-')),
    ACUSE_MASTER_KEY: KEY,
  };
  const whole = await processes.start({ databaseUrl, env: settings });
  const { dataDir } = whole;
  expect(await whole.stop()).toBe(0);
  // Nothing of what it accepts is delivered.
  const first = await processes.start({ databaseUrl, dataDir, env: { ...settings, ACUSE_ROLES: 'api' } });
  const env = { DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: dataDir, ...settings };
  const run = (...args: string[]) => commandWith(env, ...args);
  const tenantId = (await first.call('GET', '/v1/account')).body.id;
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push((await first.send({ to: `delivered+${n}@sandbox.test` })).body.id);
  await first.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  await first.call('POST', '/v1/suppressions', { address: 'back@example.com' });
  const started = await run('queue', 'list');
  expect(await first.stop()).toBe(0);

  const begun = await run('restore', 'begin', '--reason', 'a drill');
  const asked = await run('restore', 'release');
  const released = await run('restore', 'release', '--accept-idempotency-gap', '--accept-scheduled');
  const unknown = await run('queue', 'unknown');
  const resolved = [
    await run('queue', 'resolve', ids[0]!, '--send'),
    await run('queue', 'resolve', ids[1]!, '--cancel'),
    await run('queue', 'resolve', '--tenant', tenantId, '--bounce'),
  ];
  const next = await processes.start({ databaseUrl, dataDir, env: settings });
  await next.until(ids[0]!, 'sent', 30_000);
  const list = await next.call('GET', '/v1/messages?limit=50');
  const fsck = await run('fsck');
  expect(await next.stop()).toBe(0);
  return {
    codes: [started, begun, asked, released, unknown, ...resolved].map(({ code }) => code),
    keys: [begun, asked, released, unknown, ...resolved].map(({ said }) => Object.keys(said).sort()),
    held: unknown.said.total,
    list: statuses(list.body.data),
    fsck: [fsck.code, fsck.said.problemCount],
  };
}

/** An operator's work on the queue by hand. */
async function operate(databaseUrl: string) {
  const service = await processes.start({ databaseUrl, env: { ACUSE_MASTER_KEY: KEY } });
  const env = { DATABASE_URL: databaseUrl, ACUSE_DATA_DIR: service.dataDir, ACUSE_MASTER_KEY: KEY };
  const run = (...args: string[]) => commandWith(env, 'queue', ...args);
  const tenantId = (await service.call('GET', '/v1/account')).body.id;
  const deferred: string[] = [];
  for (let n = 0; n < 3; n++)
    deferred.push((await service.send({ to: `deferred+${n}@sandbox.test` })).body.id);
  for (const id of deferred) await service.until(id, 'deferred', 30_000);
  const shown = await run('list', '--by', 'tenant');
  const pausedTenant = await run('pause', '--tenant', tenantId, '--reason', 'x');
  const pausedPlace = await run('pause', '--destination', 'sandbox.test', '--reason', 'x');
  // Until every process knows it.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const waits = (await service.send({ to: 'delivered@sandbox.test' })).body.id;
  const held = await service.call('GET', `/v1/messages/${waits}`);
  const cancelled = await run('cancel', deferred[0]!);
  const resumed = [
    await run('resume', '--tenant', tenantId),
    await run('resume', '--destination', 'sandbox.test'),
  ];
  await service.until(waits, 'sent', 30_000);
  const list = await service.call('GET', '/v1/messages?limit=50');
  expect(await service.stop()).toBe(0);
  // The console's work on many.
  const db = processes.connect(databaseUrl);
  const now = new Date();
  const many = { tenantId: null, destination: 'sandbox.test', acceptedBefore: now };
  const counted = await countSelected(db, many, now);
  const due = await db.transact((tx) => makeSelectedDue(tx, many, now, 10));
  const claimed = await claimSelected(db, many, 10);
  const steps = [shown, pausedTenant, pausedPlace, cancelled, ...resumed];
  return {
    steps: steps.map(({ code, said }) => [code, said.error ?? Object.keys(said).sort()]),
    held: held.body.status,
    many: [counted, due.length, claimed.length],
    list: statuses(list.body.data),
    warned: warnings(service),
  };
}

function statuses(messages: { status: string; certified: boolean }[]): string[] {
  return messages.map(({ status, certified }) => `${status} ${certified}`).sort();
}

/** Lines of the log above `info`. */
function warnings(service: Service): string[] {
  return service
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 40)
    .map(({ msg, err }) => `${msg}: ${err?.message ?? ''}`);
}

/** A plain message whose content is past its days. */
async function addOld(databaseUrl: string, tenantId: string): Promise<void> {
  const at = new Date(Date.now() - 4_000 * DAY_MS);
  const messageId = firstIdAt(at).slice(0, 24) + newId().slice(24);
  const db = processes.connect(databaseUrl);
  await db.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
       recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, sent_at)
     values ($1, $2, $2::uuid::text, 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
       'c@sender.test', 'x', false, 'sent', 1, $3, $3)`,
    [tenantId, messageId, at.toISOString()],
  );
  await db.execute(
    "insert into message_contents (tenant_id, message_id, raw, submission) values ($1, $2, 'raw', 'submission')",
    [tenantId, messageId],
  );
}

describe('a coordinator with two workers', () => {
  let database: CitusDatabase;
  // Of each test, as the one PostgreSQL beside it is: what one left behind is no part of the next.
  beforeEach(async () => {
    database = await citusDatabase(CITUS_URL!);
    await migrate(database.url);
    await distribute({ ...database, url: database.url, shards: 8 });
  });
  afterEach(async () => {
    await processes.end();
    await database.drop();
  });

  test('a day gives what it gives on one PostgreSQL', async () => {
    const spread = await day(database.url, '/spread');
    const one = await day(await processes.database(), '/one');
    expect(spread).toEqual(one);
    expect(one).toMatchObject({
      fsck: [0, 0, []],
      verified: [200, true],
      refused: [['pending', 500], ['failed', 410], false, 'gone', 200],
      after: [200, true],
      erased: 0,
      gone: 404,
    });
  });

  test('a release after a restore does what it does on one PostgreSQL', async () => {
    const spread = await release(database.url);
    const one = await release(await processes.database());
    expect(spread).toEqual(one);
    expect(one).toMatchObject({ held: 4, fsck: [0, 0], list: RESOLVED });
  });

  test('an operator does by hand what one does on one PostgreSQL', async () => {
    const spread = await operate(database.url);
    const one = await operate(await processes.database());
    expect(spread).toEqual(one);
    expect(one.steps.map(([code]) => code)).toEqual(one.steps.map(() => 0));
    expect(one.many).toEqual([{ total: 2, retryable: 2, cancellable: 2 }, 2, 2]);
  });

  test('no request of one account sees or changes a row of another, on any node', async () => {
    const db = processes.connect(database.url);
    const others = await Promise.all(Array.from({ length: 12 }, () => addTenant(db)));
    const [mine] = others;
    const readable = await query<{ name: string }>(
      database.url,
      `select name from unnest($1::text[]) name
        where has_table_privilege('acuse_request', ('public.' || name)::regclass, 'select')`,
      [TABLE_CLASSES.distributed],
    );
    expect(readable.length).toBeGreaterThan(20);
    for (const { url } of [database.coordinator, ...database.workers]) {
      const client = new pg.Client({ connectionString: url, options: '-c role=acuse_request' });
      await client.connect();
      try {
        await client.query('begin');
        await client.query(`set local acuse.tenant_id = '${mine}'`);
        for (const { name } of readable) {
          const { rows } = await client.query(
            `select count(*)::integer as foreign_rows from ${name} where tenant_id <> $1`,
            [mine],
          );
          expect(rows, name).toEqual([{ foreign_rows: 0 }]);
        }
        const own = await client.query('select tenant_id from tenants');
        expect(own.rows).toEqual([{ tenant_id: mine }]);
        await client.query('rollback');
        // Without an account there is no row at all, but an error.
        await expect(client.query('select count(*) from messages')).rejects.toThrow(/acuse\.tenant_id|uuid/);
      } finally {
        await client.end();
      }
    }
  });

  test('sends on a worker are accepted, by one of the nodes each', async () => {
    const first = await processes.start({ databaseUrl: database.url });
    const { api_key: key } = first.sandbox;
    expect(await first.stop()).toBe(0);
    const [api, other] = await Promise.all(
      database.workers.map(({ url }) =>
        processes.start({ databaseUrl: url, dataDir: first.dataDir, env: { ACUSE_ROLES: 'api' } }),
      ),
    );
    const send = ({ baseUrl }: Service, id: string) =>
      fetch(`${baseUrl}/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': id,
        },
        body: JSON.stringify({
          from: 'billing@sandbox.test',
          to: 'delivered@sandbox.test',
          subject: 'Hello',
          text: 'Hello',
        }),
      });
    const keys = Array.from({ length: 40 }, (_, n) => `on-a-worker-${n}`);
    // The same sends on two nodes at once: each is accepted by one, and known by the other.
    const answers = await Promise.all(keys.flatMap((id) => [send(api!, id), send(other!, id)]));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...keys.map(() => 200),
      ...keys.map(() => 201),
    ]);
    const found = await query<{ count: number }>(
      database.url,
      "select count(*)::integer as count from messages where idempotency_key like 'on-a-worker-%'",
    );
    expect(found).toEqual([{ count: keys.length }]);
    for (const each of [api!, other!]) expect(await each.stop()).toBe(0);
  });

  test('sends wait for the end of a move, however slow it is', async () => {
    const service = await startTestService({ databaseUrl: database.url });
    const mover = new pg.Client({ connectionString: database.url });
    await mover.connect();
    try {
      const account = await makeTenant(service);
      await giveDomain(service, account.tenantId, 'spread.test');
      const send = () => service.send({ from: 'billing@spread.test' }, { key: account.key });
      expect((await send()).status).toBe(201);
      await mover.query('begin');
      await mover.query(
        "select lock_shard_metadata(7, array_agg(shardid)) from pg_dist_shard where logicalrelid = 'messages'::regclass",
      );
      const waiting = Promise.all(Array.from({ length: 8 }, send));
      const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
      await eventually(async () => (await query(database.url, waits)).length > 0);
      await mover.query('select pg_sleep(12)');
      await mover.query('rollback');
      expect((await waiting).map(({ status }) => status)).toEqual(Array(8).fill(201));
    } finally {
      await mover.end();
      await service.stop();
    }
  });
});
