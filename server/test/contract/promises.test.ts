import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addGlobalSuppression, removeGlobalSuppression } from '../../src/accounts/suppressions/operations.ts';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../support/tenants.ts';
import { createTemplateFixture } from './fixtures.ts';
import { countRows } from './refusals.ts';

/** Promises of the specification about sends, replays and quotas, as a client sees them. */
const START = new Date('2026-11-30T23:59:30.000Z');
let now = START.getTime();
const clock: Clock = { now: () => new Date(now), monotonicMs: () => performance.now() };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ clock });
});
afterAll(() => service?.stop());

interface Account extends TestTenant {
  send(fields?: object, idempotencyKey?: string): ReturnType<TestService['call']>;
  usage(): Promise<{
    certified: { used: number };
    plain: { used: number };
    month: string;
    resets_at: string;
  }>;
}

let accounts = 0;
async function makeAccount(settings: Parameters<typeof makeTenant>[1] = {}): Promise<Account> {
  const tenant = await makeTenant(service, settings);
  const domain = `promises-${++accounts}.example.com`;
  await giveDomain(service, tenant.tenantId, domain);
  return {
    ...tenant,
    send: (fields = {}, idempotencyKey = newKey()) =>
      service.call('POST', '/v1/messages', {
        body: {
          from: `Billing <billing@${domain}>`,
          to: 'ana@example.net',
          subject: 'Hello',
          text: 'Hello Ana',
          ...fields,
        },
        headers: { 'idempotency-key': idempotencyKey },
        key: tenant.key,
      }),
    usage: async () => (await service.call('GET', '/v1/account', { key: tenant.key })).body.usage,
  };
}

describe('a send', () => {
  test('answers 201 with the message, its id and whether it is certified', async () => {
    const account = await makeAccount();
    const answer = await account.send({}, 'a key of mine');
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({
      location: `/v1/messages/${answer.body.id}`,
      'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      acknowledgement: null,
      idempotency_key: 'a key of mine',
      from: expect.stringMatching(/^Billing <billing@/),
      to: 'ana@example.net',
      subject: 'Hello',
      certified: true,
      status: 'queued',
      template_id: null,
      tags: [],
      metadata: {},
      size_bytes: expect.any(Number),
      created_at: START.toISOString(),
      send_at: null,
      queued_at: START.toISOString(),
      sent_at: null,
      deferred_at: null,
      bounced_at: null,
      bounce: null,
      deferral: null,
      cancelled_at: null,
      complained_at: null,
      sealed_at: null,
      attempts: 0,
      next_attempt_at: START.toISOString(),
      last_reply: null,
      content_deleted_at: null,
      promise: expect.stringMatching(/^acuse\/promise\/v1\n/),
    });
    expect((await service.call('GET', `/v1/messages/${answer.body.id}`, { key: account.key })).body).toEqual(
      answer.body,
    );
  });

  test("is certified as it says, else by the account's default_certified", async () => {
    const account = await makeAccount();
    for (const defaultCertified of [true, false]) {
      await changeTenant(service.services, account.tenantId, { defaultCertified });
      expect((await account.send()).body.certified).toBe(defaultCertified);
      for (const certified of [true, false]) {
        const { body } = await account.send({ certified });
        expect([body.certified, body.promise !== null]).toEqual([certified, certified]);
      }
    }
  });

  test('takes text alone, html alone, and both', async () => {
    const account = await makeAccount();
    const typesOf = async (fields: object) => {
      const { body } = await account.send(fields);
      const raw = (
        await service.call('GET', `/v1/messages/${body.id}/raw`, { key: account.key })
      ).raw.toString();
      return [...raw.matchAll(/^Content-Type: ([\w/]+)/gim)].map((match) => match[1]);
    };
    expect(await typesOf({ text: 'x' })).toEqual(['text/plain']);
    expect(await typesOf({ text: undefined, html: '<p>x</p>' })).toEqual(['text/html']);
    expect(await typesOf({ text: 'x', html: '<p>x</p>' })).toEqual([
      'multipart/alternative',
      'text/plain',
      'text/html',
    ]);
  });

  test('takes its content from a template of the account', async () => {
    const account = await makeAccount();
    const template_id = await createTemplateFixture(() => service).template(
      { subject: 'Invoice {{ n }}', text: 'Hello {{ name }}', html: '<b>{{ name }}</b>' },
      account.key,
    );
    const { status, body } = await account.send({
      subject: undefined,
      text: undefined,
      template_id,
      variables: { n: 7, name: 'Ana & Bob' },
    });
    expect([status, body.subject, body.template_id]).toEqual([201, 'Invoice 7', template_id]);
    const raw = (
      await service.call('GET', `/v1/messages/${body.id}/raw`, { key: account.key })
    ).raw.toString();
    expect(raw).toContain('Hello Ana & Bob');
    expect(raw).toContain('<b>Ana &amp; Bob</b>');
  });

  test('has its own subject, text and html before those of its template', async () => {
    const account = await makeAccount();
    const template_id = await createTemplateFixture(() => service).template(
      { subject: 'Invoice {{ n }}', text: 'Hello {{ name }}', html: '<b>{{ name }}</b>' },
      account.key,
    );
    // The text, which would need a name, is not rendered.
    const variables = { n: 7, name: 'Ana' };
    const send = (fields: object) => account.send({ subject: undefined, template_id, ...fields });
    const { body } = await send({ text: 'Good day', html: '<i>Good day</i>', variables: { n: 7 } });
    expect([body.subject, body.template_id]).toEqual(['Invoice 7', template_id]);
    const own = await send({ subject: 'Yours', text: undefined, variables });
    expect(own.body.subject).toBe('Yours');
    const rawOf = async ({ id }: { id: string }) =>
      (await service.call('GET', `/v1/messages/${id}/raw`, { key: account.key })).raw.toString();
    expect(await rawOf(body)).toContain('<i>Good day</i>');
    expect(await rawOf(own.body)).toContain('<b>Ana</b>');
    const unknown = await send({ text: 'Good day', template_id: 'none' });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'template_not_found']);
  });

  test('to an address on the operator’s list is refused to every account', async () => {
    const account = await makeAccount();
    await addGlobalSuppression(service.services, { address: 'never@example.net' });
    for (const send of [account.send, (await makeAccount()).send]) {
      const answer = await send({ to: 'Never@Example.net' });
      expect([answer.status, answer.body.error.code]).toEqual([422, 'recipient_suppressed']);
      expect(answer.body.error.message).toContain("the operator's suppression list");
    }
    await removeGlobalSuppression(service.services, 'never@example.net');
    expect((await account.send({ to: 'never@example.net' })).status).toBe(201);
  });
});

describe('a replay', () => {
  test('answers 200 with the message as it is now, says so, stores nothing and costs no quota', async () => {
    const account = await makeAccount();
    const key = newKey();
    const first = await account.send({}, key);
    const [rows, usage] = [await countRows(service.db), await account.usage()];
    await service.db.execute(
      "update messages set status = 'sent', sent_at = $2, next_attempt_at = null, attempts = 1 where message_id = $1",
      [first.body.id, new Date(now)],
    );
    const replay = await account.send({}, key);
    expect([replay.status, replay.headers['idempotent-replayed'], replay.headers['location']]).toEqual([
      200,
      'true',
      `/v1/messages/${first.body.id}`,
    ]);
    expect(replay.body).toEqual({
      ...first.body,
      status: 'sent',
      sent_at: START.toISOString(),
      next_attempt_at: null,
      attempts: 1,
    });
    expect(await account.usage()).toEqual(usage);
    expect(await countRows(service.db)).toEqual(rows);
  });

  test('in a batch is counted as replayed, and costs no quota either', async () => {
    const account = await makeAccount();
    const first = await account.send({}, 'shared');
    const { from } = first.body;
    const item = {
      idempotency_key: 'shared',
      from,
      to: 'ana@example.net',
      subject: 'Hello',
      text: 'Hello Ana',
    };
    const batch = await service.call('POST', '/v1/messages/batch', {
      body: { messages: [item, { ...item, idempotency_key: 'own' }] },
      key: account.key,
    });
    expect(batch.body).toMatchObject({ created: 1, replayed: 1, failed: 0 });
    expect(batch.body.results[0]).toEqual({ index: 0, status: 'replayed', message: first.body });
    expect((await account.usage()).certified.used).toBe(2);
  });
});

describe('quotas', () => {
  test('are two bags: one that is exhausted leaves the other alone, and the message names it', async () => {
    const account = await makeAccount({ quotaMessagesMonth: 1, quotaPlainMessagesMonth: 2 });
    expect((await account.send({ certified: true })).status).toBe(201);
    const certified = await account.send({ certified: true });
    expect([certified.status, certified.body.error]).toEqual([
      429,
      { code: 'quota_exceeded', message: expect.stringContaining('"certified"') },
    ]);
    for (let sent = 0; sent < 2; sent++) expect((await account.send({ certified: false })).status).toBe(201);
    const plain = await account.send({ certified: false });
    expect([plain.status, plain.body.error]).toEqual([
      429,
      { code: 'quota_exceeded', message: expect.stringContaining('"plain"') },
    ]);
    expect(await account.usage()).toMatchObject({
      certified: { used: 1, remaining: 0 },
      plain: { used: 2, remaining: 0 },
    });
  });

  test('count what was accepted only: no refused send, no replay', async () => {
    const account = await makeAccount({ quotaMessagesMonth: 1 });
    const refused = [
      { to: '' },
      { text: '' },
      { from: 'a@elsewhere.example' },
      { template_id: 'x', subject: undefined, text: undefined },
    ];
    for (const fields of refused) expect((await account.send(fields)).status).toBeGreaterThanOrEqual(400);
    expect((await account.usage()).certified.used).toBe(0);
    const key = newKey();
    expect((await account.send({}, key)).status).toBe(201);
    for (let again = 0; again < 3; again++) expect((await account.send({}, key)).status).toBe(200);
    expect((await account.usage()).certified.used).toBe(1);
  });

  test('are per UTC calendar month', async () => {
    const account = await makeAccount({ quotaMessagesMonth: 1 });
    expect((await account.send()).status).toBe(201);
    const exhausted = await account.send();
    expect(exhausted.body.error.message).toContain('2026-12-01T00:00:00.000Z');
    expect(await account.usage()).toMatchObject({
      month: '2026-11',
      resets_at: '2026-12-01T00:00:00.000Z',
      certified: { used: 1 },
    });
    now = Date.parse('2026-12-01T00:00:00.000Z');
    try {
      expect(await account.usage()).toMatchObject({ month: '2026-12', certified: { used: 0, remaining: 1 } });
      expect((await account.send()).status).toBe(201);
      expect((await account.send()).body.error.code).toBe('quota_exceeded');
    } finally {
      now = START.getTime();
    }
  });

  test('a changed quota holds from the next send on', async () => {
    const account = await makeAccount({ quotaMessagesMonth: 0 });
    expect((await account.send()).body.error.code).toBe('quota_exceeded');
    await changeTenant(service.services, account.tenantId, { quotaMessagesMonth: 1 });
    expect((await account.send()).status).toBe(201);
  });
});
