import { createHmac, timingSafeEqual } from 'node:crypto';
import { eventually } from '@acuse/testkit/eventually';
import type { ReceivedRequest } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentSchemas } from '../support/json-schema.ts';
import { newKey } from '../support/service.ts';
import { DOCUMENT } from './conform.ts';
import { startWalkWorld, type WalkWorld } from './walk-world.ts';

/** Messages from the request to their end, with everything that their sender is told on the way. */
let world: WalkWorld;
let secret: string;
let webhookId: string;
const sent: Record<string, string> = {};

const TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
];

beforeAll(async () => {
  world = await startWalkWorld();
  const url = world.receiver.url('/hooks', '127.0.0.1');
  const made = await world.call({ method: 'POST', path: '/v1/webhooks', body: { url, events: ['*'] } });
  ({ id: webhookId, secret } = made.json() as { id: string; secret: string });
  for (const address of ['delivered', 'bounced', 'deferred', 'complained', 'async-bounced'])
    sent[address] = await send(address, true);
  sent['plain'] = await send('delivered+plain', false);
  await eventually(() => told().length >= 6 + 4 + 1 + 2 + 1 + 5);
});
afterAll(() => world?.stop());

async function send(localPart: string, certified: boolean): Promise<string> {
  const answer = await world.call({
    method: 'POST',
    path: '/v1/messages',
    headers: { 'idempotency-key': newKey() },
    body: {
      from: 'billing@sandbox.test',
      to: `${localPart}@sandbox.test`,
      subject: 'Hello',
      text: 'Hello',
      certified,
    },
  });
  expect(answer.status).toBe(201);
  return (answer.json() as { id: string }).id;
}

interface Told {
  type: string;
  created_at: string;
  data: { message_id: string; event_id: string } & Record<string, unknown>;
}

function told(): Told[] {
  const bodies = world.receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Told);
  return [...new Map(bodies.map((body) => [body.data.event_id, body])).values()];
}

const get = async (path: string) => {
  const answer = await world.call({ method: 'GET', path });
  return { status: answer.status, body: answer.body, json: answer.json };
};

describe('events', () => {
  test('are told of messages as they are queued, sent, deferred, bounced, complained about and sealed', () => {
    const typesOf = (id: string) =>
      told()
        .filter(({ data }) => data.message_id === id)
        .map(({ type }) => type)
        .sort();
    expect(typesOf(sent['delivered']!)).toEqual(['email.queued', 'email.sealed', 'email.sent']);
    expect(typesOf(sent['bounced']!)).toEqual(['email.bounced', 'email.queued', 'email.sealed']);
    expect(typesOf(sent['deferred']!)).toEqual(['email.deferred', 'email.queued', 'email.sealed']);
    expect(typesOf(sent['complained']!)).toEqual([
      'email.complained',
      'email.queued',
      'email.sealed',
      'email.sent',
    ]);
    expect(typesOf(sent['async-bounced']!)).toEqual([
      'email.bounced',
      'email.queued',
      'email.sealed',
      'email.sent',
    ]);
    expect(typesOf(sent['plain']!)).toEqual(['email.queued', 'email.sent']);
    expect([...new Set(told().map(({ type }) => type))].sort()).toEqual([...TYPES].sort());
  });

  test('have the body that the specification and the document give them', () => {
    const schemas = documentSchemas(DOCUMENT);
    for (const event of told()) {
      expect(Object.keys(event)).toEqual(['type', 'created_at', 'data']);
      expect(event.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const { schema } = DOCUMENT.webhooks[event.type]!.post.requestBody!.content['application/json']!;
      expect(schemas.problem(schema, event), JSON.stringify(event)).toBeNull();
    }
  });

  test('come as HTTPS POSTs would, with the specified headers and a signature over the raw body', () => {
    expect(world.receiver.requests.length).toBeGreaterThan(0);
    for (const request of world.receiver.requests) {
      expect(request.method).toBe('POST');
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'service-event': (JSON.parse(request.body.toString()) as Told).type,
        'service-webhook-id': webhookId,
        'user-agent': 'service-webhooks/1.0',
      });
      expect(isSigned(request)).toBe(true);
    }
  });

  test('are the ones that the message lists', async () => {
    const listed = (await get(`/v1/messages/${sent['complained']}/events`)).json() as {
      data: { id: string; type: string; data: object }[];
    };
    const received = told().filter(({ data }) => data.message_id === sent['complained']);
    expect(listed.data.map(({ id }) => id).sort()).toEqual(received.map(({ data }) => data.event_id).sort());
    expect(listed.data[0]!.type).toBe('email.queued');
  });
});

/** As a receiver does it who has the specification and nothing else. */
function isSigned({ headers, body }: ReceivedRequest): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(headers['service-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

describe('a plain message', () => {
  test('is delivered in the same way, with its transcript and its notification', async () => {
    const attempts = (await get(`/v1/messages/${sent['plain']}/attempts`)).json() as {
      data: { outcome: string; sessions: { transcript: { line: string }[] }[] }[];
    };
    expect(attempts.data.map(({ outcome }) => outcome)).toEqual(['sent']);
    expect(attempts.data[0]!.sessions[0]!.transcript.map(({ line }) => line).join('\n')).toMatch(
      /RCPT TO:<delivered\+plain@sandbox\.test>/,
    );
    const dsn = await get(`/v1/messages/${sent['plain']}/dsn`);
    expect([dsn.status, dsn.body.toString()]).toEqual([
      200,
      expect.stringMatching(/Action: (relayed|delivered)/),
    ]);
  });

  test('never enters the Merkle tree: no leaf, no seal, no proof, and no way to make it certified', async () => {
    const id = sent['plain']!;
    expect((await get(`/v1/messages/${id}`)).json()).toMatchObject({
      certified: false,
      sealed_at: null,
      promise: null,
    });
    for (const table of ['leaf_contents', 'pending_leaves', 'leaves']) {
      const rows = await world.beside.db.query(`select from ${table} where message_id = $1`, [id]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    for (const path of ['evidence', 'proof-bundle']) {
      const answer = await get(`/v1/messages/${id}/${path}`);
      expect([answer.status, answer.json()]).toEqual([
        422,
        { error: { code: 'missing_proof_data', message: expect.any(String) } },
      ]);
    }
    const seal = await world.call({ method: 'POST', path: `/v1/messages/${id}/seal` });
    expect([seal.status, seal.json()]).toEqual([
      422,
      { error: { code: 'not_certified', message: expect.any(String) } },
    ]);
  });
});

describe('a certified message', () => {
  test('has evidence once it is sealed, and verifies online', async () => {
    const evidence = (await get(`/v1/messages/${sent['delivered']}/evidence`)).json() as Record<
      string,
      string
    >;
    const sealed = told().find(
      ({ type, data }) => type === 'email.sealed' && data.message_id === sent['delivered'],
    )!;
    expect(sealed.data).toMatchObject({
      batch_id: evidence['batch_id'],
      merkle_root: evidence['merkle_root'],
      certificate_id: evidence['certificate_id'],
      sealed_at: evidence['sealed_at'],
    });
    const verify = await world.call({
      method: 'POST',
      path: '/v1/verify',
      body: { message_id: sent['delivered'] },
    });
    expect([verify.status, verify.json()]).toEqual([
      200,
      expect.objectContaining({
        valid: true,
        merkle_root: evidence['merkle_root'],
        certificate_id: evidence['certificate_id'],
        sealed_at: evidence['sealed_at'],
      }),
    ]);
  });

  test('counts in the rates of its day', async () => {
    const rates = (await get('/v1/rates')).json() as {
      days: number;
      counters: object;
      daily: object[];
      rates: object;
    };
    expect(rates).toMatchObject({
      days: 14,
      counters: { ingested: 6, sent: 4, deferred: 1, bounced: 2, complained: 1, sealed: 5 },
      rates: { delivery: 4 / 6, deferral: 1 / 6, bounce: 2 / 6, complaint: 1 / 4, seal: 1 },
    });
    expect(rates.daily).toHaveLength(14);
  });
});
