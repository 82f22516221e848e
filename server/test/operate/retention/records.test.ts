import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeTenant } from '../../../src/accounts/tenants/operations.ts';
import { fsck } from '../../../src/evidence/fsck/fsck.ts';
import { judgeRecords } from '../../../src/operate/doctor/retention.ts';
import { readRetentionStatus, runRetention } from '../../../src/operate/retention/retention-run.ts';
import { forgetPage, SWEEP_PAGE, sweepRecords, sweepTenant } from '../../../src/operate/retention/sweep.ts';
import { createRetention } from '../../../src/operate/retention/worker.ts';
import type { Db } from '../../../src/platform/database/db.ts';
import { FIRST_ID, firstIdAt, newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/logger.ts';
import { attempt, comeBack } from '../../evidence/deliveries.ts';
import { faultyDb, InjectedCrash, type TestMessage } from '../../evidence/support.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, type TestTenant } from '../../support/tenants.ts';
import { AheadClock, DAY_MS } from './support.ts';

/** Records of plain messages, which end after their days, and what outlives them. */
const DAYS = { plainDays: 90, recordDays: 400 };
let service: TestService;
let clock: AheadClock;

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  clock = new AheadClock();
  clock.forward(401);
});
afterAll(() => service?.stop());

const sweepAll = async (tenantId: string, over: Partial<{ db: Db; ownDays: number | null }> = {}) => {
  const deps = { db: service.db, clock, ...DAYS };
  await sweepTenant(deps, tenantId, null);
  const { ownDays = null, ...rest } = over;
  return sweepRecords({ ...deps, ...rest }, { tenantId, ownDays }, null);
};

/** A recipient that no complaint of another test suppressed. */
const TO = 'eva@example.test';

async function send(
  { tenantId }: Pick<TestTenant, 'tenantId'>,
  fields: object,
  idempotencyKey = newKey(),
): Promise<TestMessage & { readonly body: { readonly id: string; readonly copies?: { id: string }[] } }> {
  const { status, body } = await service.call('POST', '/v1/messages', {
    headers: { 'idempotency-key': idempotencyKey },
    body: { from: 'billing@sandbox.test', to: TO, subject: 'x', text: 'y', ...fields },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const [content] = await service.db.query<{ raw: Buffer }>(
    'select raw from message_contents where message_id = $1',
    [body.id],
  );
  return { tenantId, messageId: body.id, raw: content!.raw, body };
}

/** Tables in which a row has this id. */
async function whereIs(id: string): Promise<string[]> {
  const tables = await service.db.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('schema_migrations')",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.db
      .asSessions((tx) =>
        tx.query(`select 1 from ${name} t where t::text like '%' || $1 || '%' limit 1`, [id]),
      )
      .catch(() =>
        service.db.query(`select 1 from ${name} t where t::text like '%' || $1 || '%' limit 1`, [id]),
      );
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

test('a record goes with everything that refers to it; counts, suppressions and the audit log stay', async () => {
  const { account } = service;
  const url = 'http://127.0.0.1:9/hook';
  expect((await service.call('POST', '/v1/webhooks', { body: { url, events: ['*'] } })).status).toBe(201);
  const plain = await send(account, { to: ['ana@example.test', 'luis@example.test'], certified: false });
  const certified = await send(account, { certified: true });
  await attempt(service.db, [plain, certified], 'sent');
  const copy = plain.body.copies![0]!.id;
  await attempt(service.db, [{ ...plain, messageId: copy }], 'bounced');
  await comeBack(service.db, plain, 'complaint');
  await service.call('POST', '/v1/verify', { body: { message_id: plain.messageId } });
  await service.db.execute(
    `insert into shares (tenant_id, share_id, message_id, secret_sha256, shows_message, shows_parts, shows_delivery, created_by, created_by_name, created_at, expires_at)
     values ($1, $2, $3, sha256('x'), true, '{}', true, $2, 'Ana', now(), now() + interval '1 day')`,
    [account.tenantId, newId(), plain.messageId],
  );
  expect(await whereIs(plain.messageId)).toEqual(
    expect.arrayContaining(
      'attempts delivery_reports events idempotency_claims message_copies messages shares verification_log webhook_deliveries webhook_queue'
        .split(' ')
        .filter((name) => name !== 'webhook_queue'),
    ),
  );
  const counts = () =>
    Promise.all(
      ['quota_usage', 'daily_counters', 'counter_additions'].map((table) =>
        service.db.query(`select * from ${table} order by 1, 2`),
      ),
    );
  const before = [await counts(), await whereIs(certified.messageId)];
  expect(await sweepAll(account.tenantId)).toMatchObject({ messages: 2, more: false });
  expect(await whereIs(plain.messageId)).toEqual(['suppressions']);
  expect((await whereIs(copy)).filter((name) => name !== 'suppressions')).toEqual([]);
  expect([await counts(), await whereIs(certified.messageId)]).toEqual(before);
  expect(
    await service.db.query(
      'select from webhook_queue q where not exists (select from webhook_deliveries d where d.delivery_id = q.delivery_id)',
    ),
  ).toEqual([]);
  expect((await service.call('GET', `/v1/messages/${certified.messageId}/evidence`)).status).not.toBe(404);
  expect((await service.call('GET', `/v1/messages/${plain.messageId}`)).status).toBe(404);
  expect((await fsck(service)).problems).toEqual([]);
});

test('a key whose record is gone makes no second message, however it is sent', async () => {
  const tenant = service.account;
  const [single, item] = [newKey(), newKey()];
  const messages = [
    await send(tenant, { certified: false }, single),
    await send(tenant, { certified: false }, item),
  ];
  await attempt(service.db, messages, 'sent');
  await sweepAll(tenant.tenantId);
  const fields = {
    from: 'billing@sandbox.test',
    to: TO,
    subject: 'x',
    text: 'y',
    certified: false,
  };
  const used = async () =>
    (await service.db.query('select * from quota_usage')).concat(
      await service.db.query('select message_id from messages order by 1'),
      await service.db.query('select * from idempotency_claims order by 1, 2'),
    );
  const before = await used();
  for (const body of [
    fields,
    { ...fields, to: ['a@example.test', 'b@example.test'] },
    { ...fields, subject: 'another' },
  ]) {
    const answer = await service.call('POST', '/v1/messages', {
      headers: { 'idempotency-key': single },
      body,
    });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'accepted_before']);
  }
  const batch = await service.call('POST', '/v1/messages/batch', {
    body: { messages: [{ ...fields, idempotency_key: item }] },
  });
  expect(batch.body).toMatchObject({
    created: 0,
    failed: 1,
    results: [{ error: { code: 'accepted_before' } }],
  });
  expect(await used()).toEqual(before);
  // Another account's is another key.
  const other = await makeTenant(service, { sandbox: true });
  const theirs = await service.call('POST', '/v1/messages', {
    key: other.key,
    headers: { 'idempotency-key': single },
    body: fields,
  });
  expect(theirs.body.error?.code).not.toBe('accepted_before');
});

test('a retry that waits for the sweep, and one after it, send nothing again', async () => {
  const tenant = service.account;
  const keys = Array.from({ length: 8 }, () => newKey());
  const messages: TestMessage[] = [];
  for (const key of keys) messages.push(await send(tenant, { certified: false }, key));
  await attempt(service.db, messages, 'sent');
  await sweepTenant({ db: service.db, clock, ...DAYS }, tenant.tenantId, null);
  const body = { from: 'billing@sandbox.test', to: TO, subject: 'x', text: 'y', certified: false };
  const retry = (key: string) =>
    service.call('POST', '/v1/messages', { headers: { 'idempotency-key': key }, body });
  let commit = () => {};
  const told = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let deleted = () => {};
  const gone = new Promise<void>((resolve) => {
    deleted = resolve;
  });
  const cutoff = clock.now();
  const page = {
    tenantId: tenant.tenantId,
    after: FIRST_ID,
    before: firstIdAt(cutoff),
    cutoff,
    now: cutoff,
  };
  const sweeping = service.db.transact(async (tx) => {
    const rows = await forgetPage(tx, { ...page, limit: SWEEP_PAGE });
    deleted();
    await told;
    return rows;
  });
  // Before it, a retry finds the record and waits for nobody.
  await gone;
  const retries = keys.map(retry);
  await eventually(async () => (await service.db.query('select from pg_locks where not granted')).length > 0);
  commit();
  expect((await sweeping).filter(({ fate }) => fate === 'deleted')).toHaveLength(keys.length);
  const answers = [...(await Promise.all(retries)), ...(await Promise.all(keys.map(retry)))];
  expect(answers.map(({ body: said }) => said.error?.code)).toEqual(answers.map(() => 'accepted_before'));
  const left = (table: string) =>
    service.db.query(`select from ${table} where idempotency_key = any ($1)`, [keys]);
  expect([await left('messages'), await left('idempotency_claims')]).toEqual([[], []]);
});

test.each([{ at: 1 }, { at: 2 }, { at: 4 }, { at: 8 }, { at: 'commit' }] as const)(
  'a sweep that breaks off ($at) loses no key, and the next one ends it',
  async ({ at }) => {
    const tenant = service.account;
    const key = newKey();
    const message = await send(tenant, { certified: false }, key);
    await attempt(service.db, [message], 'sent');
    const broken = sweepAll(tenant.tenantId, {
      db: faultyDb(service.db, { at, persisted: at === 'commit' }),
    });
    await expect(broken).rejects.toThrow(InjectedCrash);
    expect((await fsck(service)).problems).toEqual([]);
    expect(await sweepAll(tenant.tenantId)).toMatchObject({ messages: at === 'commit' ? 0 : 1 });
    expect(await whereIs(message.messageId)).toEqual([]);
    const again = await service.call('POST', '/v1/messages', {
      headers: { 'idempotency-key': key },
      body: { from: 'billing@sandbox.test', to: TO, text: 'y', certified: false },
    });
    expect(again.body.error.code).toBe('accepted_before');
  },
);

test('what waits keeps its record, and what has its content; an account may have other days', async () => {
  const tenant = await makeTenant(service, { sandbox: true });
  const { tenantId } = tenant;
  const [waiting, ended] = [newId(), newId()];
  const insert = (id: string, status: 'queued' | 'sent') =>
    service.db.execute(
      `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
        recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, sent_at, next_attempt_at)
       values ($1, $2, $2::uuid::text, 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
         'c@sender.test', 'x', false, $3, 1, now(), case when $3 = 'sent' then now() end, case when $3 = 'queued' then now() end)`,
      [tenantId, id, status],
    );
  await insert(waiting, 'queued');
  await insert(ended, 'sent');
  const deps = { db: service.db, ...DAYS };
  const young = new AheadClock();
  young.forward(200);
  const at = (ownDays: number | null, then = young) =>
    sweepRecords({ ...deps, clock: then }, { tenantId, ownDays }, null);
  expect(await at(null)).toMatchObject({ messages: 0 });
  expect(await at(201)).toMatchObject({ messages: 0 });
  await service.db.execute(
    "insert into message_contents (tenant_id, message_id, raw, submission) values ($1, $2, 'x', 'y')",
    [tenantId, ended],
  );
  expect(await at(30)).toMatchObject({ messages: 0, sweptTo: null });
  await service.db.execute('delete from message_contents where message_id = $1', [ended]);
  // Never sooner than the content's 90 days.
  const month = new AheadClock();
  month.forward(31);
  expect(await at(30, month)).toMatchObject({ messages: 0 });
  // Not passed over: the next sweep begins before it.
  expect(await at(30)).toMatchObject({ messages: 1, sweptTo: null });
  expect(await whereIs(waiting)).toContain('messages');
  await service.db.execute('delete from messages where message_id = $1', [waiting]);
});

test('a sweep goes through more than one page, and continues where it was', async () => {
  const { tenantId } = await makeTenant(service, { sandbox: true });
  const ids = Array.from({ length: SWEEP_PAGE + 5 }, () => newId());
  await service.db.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, sent_at)
     select $1, id, id::text, 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
       'c@sender.test', 'x', false, 'sent', 1, now(), now() from unnest($2::uuid[]) as id`,
    [tenantId, ids],
  );
  const rests: number[] = [];
  const pace = { mayGoOn: () => rests.length < 1, rest: async (ms: number) => void rests.push(ms) };
  const deps = { db: service.db, clock, ...DAYS };
  const first = await sweepRecords(deps, { tenantId, ownDays: null }, null, pace);
  expect(first).toMatchObject({ messages: SWEEP_PAGE, more: true, sweptTo: ids[SWEEP_PAGE - 1] });
  expect(await sweepRecords(deps, { tenantId, ownDays: null }, first.sweptTo)).toMatchObject({
    messages: 5,
    more: false,
  });
});

test('an upgraded installation begins after its month, which is announced; by hand it may begin before', async () => {
  const { tenantId } = await makeTenant(service, { sandbox: true });
  await changeTenant(service.services, tenantId, { plainRecordDays: 1 });
  const id = newId();
  await service.db.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, sent_at)
     values ($1, $2, 'k', 'a@sender.test', 'b@example.test', 'a@sender.test', 'b@example.test',
       'c@sender.test', 'x', false, 'sent', 1, now(), now())`,
    [tenantId, id],
  );
  const soon = new AheadClock();
  soon.forward(10);
  const deps = { db: service.db, clock: soon, ...DAYS, plainDays: 1, certifiedYears: 10 };
  const status = await readRetentionStatus(deps);
  expect(status).toMatchObject({ recordDays: 400, recordsDue: { found: 1 } });
  expect(status.recordsBeginAt!.getTime()).toBeGreaterThan(soon.now().getTime() + 19 * DAY_MS);
  const finding = judgeRecords(
    status.recordsDue,
    { recordDays: 400, beginsAt: status.recordsBeginAt! },
    soon.now(),
  );
  expect(finding).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('after 400 days: 1 of them'),
  });
  const loop = createRetention({ ...deps, log: createLog('silent'), pollMs: 5 });
  loop.start();
  await eventually(
    async () =>
      (
        await service.db.query('select from retention_sweeps where tenant_id = $1 and due_at > $2', [
          tenantId,
          soon.now().toISOString(),
        ])
      ).length === 1,
  );
  await loop.stop();
  expect(await whereIs(id)).toContain('messages');
  expect(await runRetention(deps, { records: false, certified: null })).toMatchObject({ records: null });
  expect(await runRetention(deps, { records: true, certified: null })).toMatchObject({
    records: { messages: 1 },
  });
  expect(await whereIs(id)).toEqual(['retention_sweeps']);
});
