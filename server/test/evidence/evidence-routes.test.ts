import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { readTrustPolicy } from '@acuse/evidence/policy';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/evidence/log/log-key.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
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
  secrets,
  type TestMessage,
  type TestTsa,
  type World,
} from './support.ts';

let world: World;
let tsa: TestTsa;
let app: App;
let api: EvidenceApi;
let tenantId: string;
let key: string;
let sealed: TestMessage[];
let pending: TestMessage;
let plain: TestMessage;
let strangers: TestMessage;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
  api = await openEvidenceApi(world);
  ({ app } = api);
  const { db, log } = world;
  key = await api.keyWith(tenantId, ['evidence:read']);
  sealed = await addMessages(db, log, tenantId, 12);
  strangers = (await addMessages(db, log, await addTenant(db), 1))[0]!;
  await sequenceBatch(world, log);
  await attempt(db, [sealed[0]!], 'sent');
  plain = await addPlainMessage(db, log, tenantId);
  await sealAll(world, tsa);
  pending = (await addMessages(db, log, tenantId, 1))[0]!;
});
afterAll(async () => {
  await api.close();
  await world.close();
});

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { authorization: `Bearer ${key}`, ...headers } });
const verify = (messageId: unknown) =>
  app.inject({
    method: 'POST',
    url: '/v1/verify',
    headers: { authorization: `Bearer ${key}` },
    payload: { message_id: messageId } as object,
  });
const queries = () =>
  world.db.query<{
    message_id: string;
    answer: string;
    client_address: string;
    tenant_id: string;
    api_key_id: string;
  }>('select * from verification_log order by query_id');

describe('evidence', () => {
  it('is what the contract shows', async () => {
    const { messageId } = sealed[0]!;
    const [row] = await world.db.query<Record<string, string> & { gen_time: Date }>(
      `select p.*, t.*, l.leaf_index, encode(l.canonical_hash, 'hex') as hash, encode(p.root_hash, 'hex') as root
         from leaves l join checkpoints p using (log_id, tree_size) join certificates t using (log_id,
           tree_size)
        where l.leaf_id = $1`,
      [messageId],
    );
    const answer = await get(`/v1/messages/${messageId}/evidence`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      message_id: messageId,
      canonical_hash: row!['hash'],
      batch_id: row!['batch_id'],
      merkle_root: row!['root'],
      leaf_index: row!['leaf_index'],
      tree_size: 13,
      certificate_id: row!['certificate_id'],
      sealed_at: row!.gen_time.toISOString(),
      certificate: {
        id: row!['certificate_id'],
        kind: 'batch',
        profile: 'development',
        issuer: expect.stringContaining('Acuse development root'),
        policy_oid: '2.25.270469922682019947940172261583377259638',
        serial_number: expect.stringMatching(/^[0-9a-f]+$/),
        gen_time: row!.gen_time.toISOString(),
        hash_algorithm: 'sha256',
        imprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      message_certificate: null,
      outcomes: {
        count: 1,
        as_of: expect.stringMatching(/^\d{4}-.*:\d\d\.000Z$/),
        note: expect.stringMatching(`^acuse\\.test/log/m/${row!['hash']}\n2\n`),
      },
      renewals: [],
      covered_until: expect.stringMatching(/Z$/),
      delivery: [
        {
          kind: 'sent',
          source: 'session',
          occurred_at: expect.stringMatching(/Z$/),
          leaf_index: 13,
          canonical_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          sealed_at: expect.stringMatching(/Z$/),
        },
      ],
      content_deleted_at: null,
    });
  });
});

describe('the proof bundle', () => {
  it('verifies offline, with nothing pinned and with the log and its authority pinned', async () => {
    const answer = await get(`/v1/messages/${sealed[0]!.messageId}/proof-bundle`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="acuse-${sealed[0]!.messageId}.zip"`,
      vary: 'Accept',
    });
    const bundle = readBundle(answer.rawPayload);
    expect(Buffer.from(bundle.get('message.eml')!)).toEqual(sealed[0]!.raw);
    expect([...bundle.keys()]).toContain('delivery/01-sent.tsr');
    const trust = readTrustPolicy(JSON.parse(Buffer.from(bundle.get('policy.json')!).toString()), sha256);
    expect(trust.logKeys).toMatchObject([{ name: world.log.origin }]);
    for (const options of [{}, { trust }, { eml: sealed[0]!.raw }]) {
      const result = await verifyBundle(answer.rawPayload, { sha256, now: new Date(), ...options });
      expect(result.checks.filter((check) => !check.ok)).toEqual([]);
      expect(result).toMatchObject({
        valid: true,
        facts: { content: 'complete', delivery: [{ kind: 'sent' }] },
      });
    }
  });

  it('is the same content as one JSON document', async () => {
    const url = `/v1/messages/${sealed[5]!.messageId}/proof-bundle`;
    const json = await get(url, { accept: 'application/json' });
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(await verifyBundle(json.rawPayload, { sha256, now: new Date() })).toMatchObject({ valid: true });
    expect(readBundle(json.rawPayload)).toEqual(readBundle((await get(url)).rawPayload));
  });

  it.each([
    [undefined, 'zip'],
    ['*/*', 'zip'],
    ['application/zip', 'zip'],
    ['application/json, text/plain, */*', 'zip'],
    ['application/json;q=0.5, application/zip', 'zip'],
    ['text/html', 'zip'],
    ['application/json', 'json'],
    ['application/json, */*;q=0.1', 'json'],
    ['application/*;q=0.2, application/json', 'json'],
  ])('for Accept: %s is %s', async (accept, form) => {
    const answer = await get(
      `/v1/messages/${sealed[5]!.messageId}/proof-bundle`,
      accept === undefined ? {} : { accept },
    );
    expect(answer.headers['content-type']).toContain(`application/${form}`);
  });

  it('satisfies openssl, as VERIFY.md says', async () => {
    const folder = tempFolder();
    const bundle = readBundle((await get(`/v1/messages/${sealed[3]!.messageId}/proof-bundle`)).rawPayload);
    for (const name of ['checkpoint.txt', 'constancia.tsr'])
      writeFileSync(join(folder, name), bundle.get(name)!);
    writeFileSync(join(folder, 'ca.pem'), tsa.policy.roots[0]!);
    const said = execFileSync(
      'openssl',
      ['ts', '-verify', '-data', 'checkpoint.txt', '-in', 'constancia.tsr', '-CAfile', 'ca.pem'],
      { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
    );
    expect(said).toMatch(/Verification: OK/);
  });

  it('still proves what was erased, and says that it is gone', async () => {
    const { messageId } = sealed[7]!;
    await world.db.execute('delete from message_contents where message_id = $1', [messageId]);
    await world.db.execute('update leaf_contents set openings = null where message_id = $1', [messageId]);
    const result = await verifyBundle((await get(`/v1/messages/${messageId}/proof-bundle`)).rawPayload, {
      now: new Date(),
      sha256,
    });
    expect(result).toMatchObject({ valid: true, facts: { content: 'erased' } });
    expect((await verify(messageId)).json()).toMatchObject({ valid: true });
  });
});

describe('online verification', () => {
  it('recomputes all and answers with every check', async () => {
    const { messageId } = sealed[1]!;
    const answer = (await verify(messageId)).json();
    const evidence = (await get(`/v1/messages/${messageId}/evidence`)).json();
    expect(answer).toEqual({
      valid: true,
      merkle_root: evidence.merkle_root,
      certificate_id: evidence.certificate_id,
      sealed_at: evidence.sealed_at,
      checks: expect.any(Array),
    });
    const names = answer.checks.map((check: { name: string }) => check.name);
    for (const name of [
      'manifest',
      'message',
      'submission',
      'inclusion',
      'checkpoint',
      'timestamp',
      'stored_leaf',
      'stored_root',
    ]) {
      expect(names).toContain(name);
    }
  });

  it.each([
    [
      'the message',
      "update message_contents set raw = convert_to(replace(convert_from(raw, 'UTF8'), 'Hola', 'Hole'), 'UTF8') where message_id = $1",
      'openings',
    ],
    ['the request', "update message_contents set submission = 'x' where message_id = $1", 'openings'],
    [
      'the recipient',
      "update messages set recipient_address = 'eva@example.test' where message_id = $1",
      'openings',
    ],
    ['the manifest', "update leaf_contents set manifest = manifest || ' ' where message_id = $1", 'manifest'],
    ['the leaf', "update leaves set canonical_hash = sha256('x') where leaf_id = $1", 'stored_leaf'],
  ])('says no when somebody changed %s', async (_name, tampering, failing) => {
    const [message] = sealed.splice(-1);
    await world.db.execute(tampering, [message!.messageId]);
    const answer = await verify(message!.messageId);
    expect(answer.statusCode).toBe(200);
    const failed = answer.json().checks.filter((check: { ok: boolean }) => !check.ok);
    expect(answer.json().valid).toBe(false);
    expect(failed.map((check: { name: string }) => check.name)).toContain(failing);
    expect((await queries()).at(-1)).toMatchObject({ message_id: message!.messageId, answer: 'invalid' });
  });

  it('puts every query on record, whatever its answer', async () => {
    const before = (await queries()).length;
    const unknown = newId();
    const asked = [
      sealed[1]!.messageId,
      unknown,
      strangers.messageId,
      'no-id-at-all',
      plain.messageId,
      pending.messageId,
    ];
    const answers = [];
    for (const id of asked) answers.push((await verify(id)).statusCode);
    expect(answers).toEqual([200, 404, 404, 404, 422, 422]);
    const kept = (await queries()).slice(before);
    expect(kept.map((query) => query.message_id)).toEqual(asked);
    expect(kept.map((query) => query.answer)).toEqual([
      'valid',
      'not_found',
      'not_found',
      'not_found',
      'missing_proof_data',
      'missing_proof_data',
    ]);
    for (const query of kept)
      expect(query).toMatchObject({ tenant_id: tenantId, client_address: '127.0.0.1' });
  });

  it.each([
    [undefined, 'message_id is required.'],
    [7, 'message_id must be a string.'],
    ['', 'message_id'],
    ['a\u0000b', 'message_id'],
    ['x'.repeat(65), 'message_id'],
  ])('refuses %j as an id', async (id, message) => {
    const answer = await verify(id);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining(message),
    });
  });
});

describe('who may see evidence', () => {
  const routes = (id: string) => [`/v1/messages/${id}/evidence`, `/v1/messages/${id}/proof-bundle`];

  it('answers the same for another tenant as for nobody, and 422 for what is not sealed', async () => {
    for (const [id, status, code] of [
      [strangers.messageId, 404, 'not_found'],
      [newId(), 404, 'not_found'],
      ['x', 404, 'not_found'],
      [plain.messageId, 422, 'missing_proof_data'],
      [pending.messageId, 422, 'missing_proof_data'],
    ] as const) {
      for (const url of routes(id)) {
        const answer = await get(url);
        expect(answer.statusCode).toBe(status);
        expect(answer.json().error.code).toBe(code);
      }
    }
    const bodies = await Promise.all(
      [strangers.messageId, newId()].map(async (id) => (await get(routes(id)[0]!)).payload),
    );
    expect(bodies[0]).toBe(bodies[1]);
  });

  it('is who has a key with evidence:read', async () => {
    const sender = await api.keyWith(tenantId, ['messages:send']);
    for (const url of routes(sealed[1]!.messageId)) {
      expect((await get(url, { authorization: `Bearer ${sender}` })).json().error.code).toBe(
        'insufficient_scope',
      );
      expect((await app.inject({ url })).json().error.code).toBe('unauthorized');
    }
    const refused = await app.inject({
      method: 'POST',
      url: '/v1/verify',
      headers: { authorization: `Bearer ${sender}` },
      payload: { message_id: sealed[1]!.messageId },
    });
    expect(refused.json().error.code).toBe('insufficient_scope');
  });

  it('still holds for messages of a log that the installation had before', async () => {
    const { db, clock, log } = world;
    const [older] = await addMessages(
      db,
      await openLog({ db, secrets, clock }, 'older.test/log'),
      tenantId,
      1,
    );
    expect(log.origin).not.toBe('older.test/log');
    await sealAll(world, tsa);
    expect((await verify(older!.messageId)).json()).toMatchObject({ valid: true });
  });
});
