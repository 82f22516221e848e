import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

/** Sends that are committed together, because they stand in one batch. */
async function sendTogether(items: object[]) {
  const messages = items.map((item) => ({
    idempotency_key: newKey(),
    from: 'billing@sandbox.test',
    to: 'ana@sandbox.test',
    text: 'Hello',
    ...item,
  }));
  const answer = await service.call('POST', '/v1/messages/batch', { body: { messages } });
  expect(answer.status).toBe(200);
  return answer.body.results.map((result: { status: string; error?: { code: string } }) =>
    result.status === 'failed' ? result.error!.code : result.status,
  );
}

test('in one group each has its own outcome, and what the others had taken for them is given back', async () => {
  const { db, account } = service;
  const used = { idempotency_key: newKey() };
  await service.call('POST', '/v1/suppressions', { body: { address: 'no@sandbox.test', reason: 'test' } });
  expect(await sendTogether([{}, used])).toEqual(['created', 'created']);

  expect(
    await sendTogether([
      { to: 'no@sandbox.test' },
      {},
      used,
      { certified: false },
      { ...used, text: 'another' },
      { to: 'no@sandbox.test', certified: false },
      {},
    ]),
  ).toEqual([
    'recipient_suppressed',
    'created',
    'replayed',
    'created',
    'idempotency_key_reused',
    'recipient_suppressed',
    'created',
  ]);
  expect(await audit(db)).toEqual([]);

  // Room for one certified message more, and none for a plain one.
  await db.execute('update tenants set quota_messages_month = 5, quota_plain_messages_month = 1');
  const outcomes = await sendTogether([
    { to: 'no@sandbox.test' },
    {},
    {},
    { certified: false },
    used,
    { certified: true },
  ]);
  expect(outcomes.sort()).toEqual([
    'created',
    'quota_exceeded',
    'quota_exceeded',
    'quota_exceeded',
    'recipient_suppressed',
    'replayed',
  ]);
  expect(await audit(db)).toEqual([]);
  expect(
    await db.query('select bag, used from quota_usage where tenant_id = $1 order by bag', [account.tenantId]),
  ).toEqual([
    { bag: 'certified', used: 5 },
    { bag: 'plain', used: 1 },
  ]);
  expect(await db.query('select last_sequence from tenant_sequences')).toEqual([{ last_sequence: 5 }]);
});

test('a refused send leaves its key to a mended one', async () => {
  const { db } = service;
  await db.execute('update tenants set quota_messages_month = 5');
  const key = newKey();
  expect(await sendTogether([{ idempotency_key: key }])).toEqual(['quota_exceeded']);
  await db.execute('update tenants set quota_messages_month = 6');
  expect(await sendTogether([{ idempotency_key: key, text: 'mended' }])).toEqual(['created']);
  expect(await audit(db)).toEqual([]);
});

test('an account that has messages cannot be deleted: not by the service, and not by the owner of the tables', async () => {
  const { db, account, databaseUrl } = service;
  await db.execute('update tenants set quota_plain_messages_month = 9');
  expect(await sendTogether([{ certified: false }])).toEqual(['created']);
  const deleted = 'delete from tenants where tenant_id = $1';
  await expect(db.execute(deleted, [account.tenantId])).rejects.toMatchObject({ code: '42501' });

  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    await owner.query('begin');
    await owner.query('alter table tenants no force row level security');
    // Other references to the account do not keep it.
    const others = await owner.query(
      `select conrelid::regclass as name, conname from pg_constraint
        where confrelid = 'tenants'::regclass and conrelid <> 'quota_usage'::regclass`,
    );
    for (const { name, conname } of others.rows)
      await owner.query(`alter table ${name} drop constraint ${conname}`);
    await expect(owner.query(deleted, [account.tenantId])).rejects.toMatchObject({
      code: '23503',
      table: 'quota_usage',
    });
  } finally {
    await owner.end();
  }
});
