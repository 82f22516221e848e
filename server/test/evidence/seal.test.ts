import { verifyEntries } from '@acuse/evidence/verify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readAccount } from '../../src/accounts/quota/account.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { createSealMessage } from '../../src/evidence/bundle/seal-on-demand.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { createAuthorities } from '../../src/evidence/stamp/authorities.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import type { App } from '../../src/platform/http/http.ts';
import { newId } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { attempt } from './deliveries.ts';
import { type EvidenceApi, openEvidenceApi } from './evidence-api.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import {
  addMessages,
  addPlainMessage,
  addTenant,
  authoritiesOf,
  honest,
  quietLog,
  sealerOf,
  type TestMessage,
  type TestTsa,
  type World,
} from './support.ts';

const PRICE_MICROS = 35_000_000;

let world: World;
let tsa: TestTsa;
let app: App;
let api: EvidenceApi;
let tenantId: string;
let key: string;
let messages: TestMessage[];

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  const priced = sealerOf(tsa, { priceMicros: PRICE_MICROS });
  api = await openEvidenceApi(world, authoritiesOf(world, priced));
  ({ app } = api);
  key = await api.keyWith(tenantId, ['messages:send', 'evidence:read']);
  messages = await addMessages(world.db, world.log, tenantId, 12);
  await sealAll(world, tsa);
});
afterAll(async () => {
  await api.close();
  await world.close();
});
beforeEach(() => tsa.behave(honest));

const seal = (id: string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: `/v1/messages/${id}/seal`,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

const stored = (id: string) => world.db.query('select from message_certificates where message_id = $1', [id]);
const claims = () => world.db.query('select from message_seal_claims');
const costs = async () =>
  (
    await world.db.query<{ items: number; cost_micros: number }>(
      "select items, cost_micros from sealing_costs where kind = 'message'",
    )
  )[0] ?? { items: 0, cost_micros: 0 };

describe('a constancia on demand', () => {
  it('is over the canonical hash alone, and stands in the evidence and the bundle', async () => {
    const { messageId } = messages[0]!;
    const answer = await seal(messageId);
    expect(answer.statusCode).toBe(200);
    const evidence = answer.json();
    expect(evidence.message_certificate).toMatchObject({
      kind: 'message',
      profile: 'development',
      imprint: evidence.canonical_hash,
    });
    expect(evidence.message_certificate.id).not.toBe(evidence.certificate.id);
    const shown = await app.inject({
      url: `/v1/messages/${messageId}/evidence`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(shown.json()).toEqual(evidence);
    const { bundle } = await readProofBundle(world, tenantId, messageId);
    const { valid, facts } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect([valid, facts.message_sealed_at]).toEqual([true, evidence.message_certificate.gen_time]);
  });

  it('is bought once, asked again or by many at once, through several processes', async () => {
    const { messageId } = messages[1]!;
    const before = tsa.requests();
    // Long enough for all of them to find somebody asking.
    tsa.behave(
      (answer, respondTo, request) => void setTimeout(() => honest(answer, respondTo, request), 400),
    );
    const spent = await costs();
    const other = createSealMessage({ ...world, authorities: authoritiesOf(world, tsa) });
    const [elsewhere, ...here] = await Promise.all([
      other(tenantId, messageId),
      ...Array.from({ length: 12 }, () => seal(messageId)),
    ]);
    const again = await seal(messageId);
    const certificates = [elsewhere, ...[...here, again].map((answer) => answer.json())].map(
      (evidence) => evidence.message_certificate.id,
    );
    expect(new Set(certificates).size).toBe(1);
    expect(tsa.requests()).toBe(before + 1);
    expect(await claims()).toEqual([]);
    const paid = await costs();
    // Whoever of the two processes asked: the other's authority costs nothing in this test.
    expect(paid.cost_micros - spent.cost_micros).toBeLessThanOrEqual(PRICE_MICROS);
  });

  it('costs its asker the price of one stamp', async () => {
    const before = await costs();
    await seal(messages[2]!.messageId);
    await seal(messages[2]!.messageId);
    expect(await costs()).toEqual({
      items: before.items + 1,
      cost_micros: before.cost_micros + PRICE_MICROS,
    });
    const { usage } = await readAccount(world.db, tenantId, new Date());
    expect(usage.constancias).toEqual({
      on_demand: (await world.db.query('select from message_certificates')).length,
      cost_cents: (before.cost_micros + PRICE_MICROS) / 1_000_000,
    });
  });

  it('can be had for an old message too, the content of which is erased', async () => {
    const { messageId } = messages[3]!;
    const later = { now: () => new Date(Date.now() + 1_000), monotonicMs: () => performance.now() };
    await attempt(world.db, [messages[3]!], 'sent');
    const request = { messageId, tenantId, reason: 'on request', by: 'test', force: true };
    expect(await eraseMessage({ ...world, certifiedYears: 10 }, request)).toMatchObject({ kind: 'erased' });
    const sealOld = createSealMessage({ ...world, clock: later, authorities: authoritiesOf(world, tsa) });
    expect((await sealOld(tenantId, messageId)).message_certificate).not.toBeNull();
    const { bundle } = await readProofBundle(world, tenantId, messageId);
    expect(await verifyEntries(bundle, { sha256, now: new Date() })).toMatchObject({
      valid: true,
      facts: { content: 'erased', message_sealed_at: expect.any(String) },
    });
  });

  it('is taken over from whoever died while asking', async () => {
    const { messageId } = messages[4]!;
    await world.db.execute(
      "insert into message_seal_claims (tenant_id, message_id, leased_until) values ($1, $2, now() - interval '1 second')",
      [tenantId, messageId],
    );
    expect((await seal(messageId)).statusCode).toBe(200);
    expect(await claims()).toEqual([]);
  });
});

describe('refused', () => {
  it('is what is plain, not sealed yet, of another tenant or of nobody', async () => {
    const plain = await addPlainMessage(world.db, world.log, tenantId);
    const [pending] = await addMessages(world.db, world.log, tenantId, 1);
    const [strangers] = await addMessages(world.db, world.log, await addTenant(world.db), 1);
    for (const [id, status, code] of [
      [plain.messageId, 422, 'not_certified'],
      [pending!.messageId, 422, 'missing_proof_data'],
      [strangers!.messageId, 404, 'not_found'],
      [newId(), 404, 'not_found'],
      ['x', 404, 'not_found'],
    ] as const) {
      const answer = await seal(id);
      expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
    }
    expect((await seal(strangers!.messageId)).payload).toBe((await seal(newId())).payload);
    await sealAll(world, tsa);
    expect((await seal(pending!.messageId)).statusCode).toBe(200);
  });

  it('is a key that may not send', async () => {
    const reader = await api.keyWith(tenantId, ['evidence:read']);
    const answer = await seal(messages[5]!.messageId, { authorization: `Bearer ${reader}` });
    expect(answer.json().error.code).toBe('insufficient_scope');
  });

  it('is a message whose manifest is not what its leaf says: nobody pays for that', async () => {
    const { messageId } = messages[6]!;
    const before = tsa.requests();
    await world.db.execute("update leaf_contents set manifest = manifest || ' ' where message_id = $1", [
      messageId,
    ]);
    expect((await seal(messageId)).statusCode).toBe(500);
    expect(tsa.requests()).toBe(before);
    await world.db.execute(
      'update leaf_contents set manifest = substring(manifest from 1 for length(manifest) - 1) where message_id = $1',
      [messageId],
    );
  });
});

describe('while no authority seals', () => {
  it('nothing is stored, and the answer says when to ask again', async () => {
    const { messageId } = messages[7]!;
    tsa.behave((answer) => answer.writeHead(503).end());
    const down = await seal(messageId);
    expect([down.statusCode, down.json().error.code]).toEqual([503, 'unavailable']);
    expect(down.headers['retry-after']).toBe('30');
    expect([await stored(messageId), await claims()]).toEqual([[], []]);
    tsa.behave(honest);
    expect((await seal(messageId)).statusCode).toBe(200);
  });

  it('a lie counts for nothing', async () => {
    const { messageId } = messages[8]!;
    let replayed: Uint8Array | undefined;
    tsa.behave((answer, respondTo, request) => {
      replayed ??= respondTo(request);
      answer.setHeader('content-type', 'application/timestamp-reply').end(replayed);
    });
    await seal(messages[9]!.messageId);
    expect((await seal(messageId)).statusCode).toBe(503);
    expect(await stored(messageId)).toEqual([]);
  });

  it('one that is left alone says until when', async () => {
    const { messageId } = messages[10]!;
    tsa.behave((answer) => answer.writeHead(500).end());
    const pauseRule = { failures: 1, minMs: 90_000, maxMs: 90_000 };
    const sealers = [sealerOf(tsa, { name: 'paused' })];
    const authorities = createAuthorities({ ...world, log: quietLog, sealers, pauseRule });
    const sealHere = createSealMessage({ ...world, authorities });
    await expect(sealHere(tenantId, messageId)).rejects.toMatchObject({ retryAfterSeconds: 30 });
    const before = tsa.requests();
    const error = await sealHere(tenantId, messageId).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(error.retryAfterSeconds).toBeGreaterThan(80);
    expect(tsa.requests()).toBe(before);
  });
});

describe('fsck', () => {
  it('checks every constancia over a message', async () => {
    const result = await fsck(world);
    expect(result.problems).toEqual([]);
    const [row] = await world.db.query<{ n: number }>(
      'select (select count(*) from certificates) + (select count(*) from message_certificates) as n',
    );
    expect(result.checked.certificates).toBe(row!.n);
  });

  it.each([
    ['a broken token', 'token = substring(token from 1 for length(token) - 1)', /constancia: .*encoding/],
    ['another time', "gen_time = gen_time + interval '1 second'", /gen_time is stored as/],
    [
      'the constancia of another message',
      'token = (select token from message_certificates o where o.message_id <> c.message_id limit 1)',
      /imprint/,
    ],
    ['a chain that is another', "chain = array['x'::bytea]", /chain/],
  ])('sees %s', async (_name, change, finding) => {
    const [message] = await addMessages(world.db, world.log, tenantId, 1);
    await sealAll(world, tsa);
    const id = message!.messageId;
    expect((await seal(id)).statusCode).toBe(200);
    await world.db.execute(`update message_certificates c set ${change} where message_id = $1`, [id]);
    const { problems } = await fsck(world);
    const about = problems.filter(({ subject }) => subject === `message ${id}`);
    expect(about.map(({ check, detail }) => `${check}: ${detail}`).join('\n')).toMatch(finding);
    await world.db.execute('delete from message_certificates where message_id = $1', [id]);
  });
});
