import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../support/audit.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** Retry and cancel as a client calls them; nobody delivers here. */
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a certified message that is cancelled is proven so, counted once, and found by its key again', async () => {
  const key = newKey();
  const url = 'https://1.1.1.1/hooks';
  const { row } = await service.services.endpoints.create(service.account.tenantId, { url, events: ['*'] });
  const { body: sent } = await service.send({ certified: true }, { headers: { 'idempotency-key': key } });
  const cancelled = await service.call('POST', `/v1/messages/${sent.id}/cancel`);
  expect(cancelled).toMatchObject({
    status: 200,
    body: { id: sent.id, status: 'cancelled', last_reply: { code: null, text: 'cancelled by the sender' } },
  });
  expect(cancelled.body.promise).toBe(sent.promise);
  const leaves = await service.db.query(
    'select kind, ordinal from leaf_contents where message_id = $1 order by ordinal',
    [sent.id],
  );
  expect(leaves).toEqual([
    { kind: 'message', ordinal: 0 },
    { kind: 'delivery', ordinal: 1 },
  ]);
  const replay = await service.send({ certified: true }, { headers: { 'idempotency-key': key } });
  expect(replay).toMatchObject({ status: 200, body: { id: sent.id, status: 'cancelled' } });
  const { body: rates } = await service.call('GET', '/v1/rates');
  expect(rates.counters).toEqual({
    ingested: 1,
    sent: 0,
    deferred: 0,
    bounced: 0,
    complained: 0,
    sealed: 0,
  });
  expect(rates.rates).toMatchObject({ delivery: 0, bounce: 0 });
  const { body: attempts } = await service.call('GET', `/v1/messages/${sent.id}/attempts`);
  expect(attempts.data).toMatchObject([{ outcome: 'cancelled', bounce_type: null, sessions: [] }]);
  expect((await service.call('GET', `/v1/messages/${sent.id}/dsn`)).status).toBe(404);
  const { body: events } = await service.call('GET', `/v1/messages/${sent.id}/events`);
  const message = (await service.call('GET', `/v1/messages/${sent.id}`)).body;
  expect(events.data).toMatchObject([
    { type: 'email.queued' },
    {
      type: 'email.cancelled',
      created_at: message.cancelled_at,
      data: { to: message.to, cancelled_by: 'sender' },
    },
  ]);
  const told = await service.db.query(
    'select type from webhook_deliveries where webhook_id = $1 order by type',
    [row.webhook_id],
  );
  expect(told).toEqual([{ type: 'email.queued' }]);
  const ids = async (status: string) =>
    (await service.call('GET', `/v1/messages?status=${status}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await ids('cancelled')).toEqual([sent.id]);
  expect(await ids('bounced')).toEqual([]);
  expect(await audit(service.db)).toEqual([]);
});

test('both refuse with a reason, and take no body', async () => {
  const { body: sent } = await service.send();
  const retried = await service.call('POST', `/v1/messages/${sent.id}/retry`);
  expect(retried).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  expect(retried.body.error.message).toContain('has not been tried yet');
  expect(await service.call('POST', `/v1/messages/${sent.id}/cancel`, { body: { why: 'x' } })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_body' } },
  });
  expect((await service.call('GET', `/v1/messages/${sent.id}`)).body.status).toBe('queued');
  expect(await service.call('POST', `/v1/messages/${sent.id}/cancel`, { body: {} })).toMatchObject({
    status: 200,
  });
  expect(await service.call('POST', `/v1/messages/${sent.id}/cancel`)).toMatchObject({ status: 409 });
});
