import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeyCheck } from '../../../src/accounts/api-keys/key-check.ts';
import { createLogin } from '../../../src/messages/submission/login.ts';
import { ACCESS_MS, CODE_MS, GRANT_MS, REPEAT_MS } from '../../../src/people/grants/grants.ts';
import { type Person, signedIn } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';
import {
  approve,
  BOTH,
  codeFor,
  type Fields,
  MCP_URL,
  newAgent,
  post,
  RETURN,
  redeem,
  refresh,
  startGranting,
  tokensFor,
} from './harness.ts';

let service: TestService;
let ahead: { ms: number };
let owner: Person;
beforeAll(async () => {
  ({ service, ahead } = await startGranting());
});
afterAll(() => service?.stop());
beforeEach(async () => {
  // A session of its own: tests put the clock ahead.
  owner = await signedIn(service, service.account.tenantId, 'owner');
});

const account = (key: string) => service.call('GET', '/v1/account', { key });
const statusWith = async (key: string) => (await account(key)).status;
const WRONG = { status: 400, body: { error: 'invalid_grant' } };
const listed = async () => (await service.call('GET', '/v1/api-keys?limit=100')).body.data;
const audited = async (action: string) =>
  (await owner.call('GET', `/audit?action=${action}&limit=100`)).body.data;

describe('a program that a person let in', () => {
  test('gets a narrowed key for the MCP server, which is listed and says who approved', async () => {
    const agent = await newAgent(service);
    const answer = await approve(owner, agent);
    expect(answer.status).toBe(201);
    const back = new URL(answer.body.redirect_to);
    expect(back.origin + back.pathname).toBe(RETURN);
    expect(back.searchParams.get('state')).toBe('the state & more');
    expect(back.searchParams.get('iss')).toBe('http://localhost:8025');
    const got = await redeem(service, agent, back.searchParams.get('code')!);
    expect(got.headers['cache-control']).toBe('no-store');
    expect(got.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: BOTH.join(' ') });
    const { id, resource } = (await account(got.body.access_token)).body.api_key;
    expect(resource).toBe(MCP_URL);
    const row = (await listed()).find((each: { id: string }) => each.id === id);
    expect(row).toMatchObject({
      ...{ name: 'Test agent', read_only: ['domains', 'webhooks'] },
      created_by: { kind: 'user', id: owner.userId },
      grant: { resource: MCP_URL },
    });
    expect(Date.parse(row.grant.until)).toBeGreaterThan(Date.now() + GRANT_MS - 60_000);
    const [entry] = await audited('approve_grant');
    expect(entry).toMatchObject({
      target: id,
      actor: { id: owner.userId },
      after: { program: 'Test agent', returns_to: RETURN, resource: MCP_URL, scopes: BOTH },
    });
  });

  test('may do what was approved, and not what only people may', async () => {
    const agent = await newAgent(service);
    const { body } = await redeem(service, agent, await codeFor(owner, agent, ['evidence:read']));
    expect(body.scope).toBe('evidence:read');
    const key = body.access_token;
    expect((await service.send({}, { key })).status).toBe(403);
    expect((await service.call('POST', '/v1/api-keys', { key, body: {} })).status).toBe(403);
    const all = await tokensFor(service, owner, await newAgent(service));
    expect((await service.send({}, { key: all.access_token })).status).toBe(201);
    const webhook = { url: 'https://example.com/', events: ['*'] };
    const refused = await service.call('POST', '/v1/webhooks', { key: all.access_token, body: webhook });
    expect(refused.body.error.code).toBe('insufficient_scope');
  });

  test('cannot log in by SMTP with its token: it is for the MCP server', async () => {
    const { access_token: password } = await tokensFor(service, owner, await newAgent(service));
    const { keyCheck, clock, log } = service.services;
    const login = createLogin({ keyCheck, clock, log });
    const given = { username: 'x', password, clientAddress: '127.0.0.1' };
    expect(await login(given as never)).toHaveProperty('refused');
    const own = { ...given, password: service.account.apiKey };
    expect(await login(own as never)).toHaveProperty('identity');
  });

  test('asks again and gets one key in place of two', async () => {
    const agent = await newAgent(service);
    const first = await tokensFor(service, owner, agent);
    const second = await tokensFor(service, owner, agent);
    expect(await statusWith(first.access_token)).toBe(401);
    expect(await statusWith(second.access_token)).toBe(200);
    expect(await refresh(service, agent, first.refresh_token)).toMatchObject(WRONG);
  });

  test('renews its key; a repeated renewal is the same answer, a later one ends the grant', async () => {
    const agent = await newAgent(service);
    const first = await tokensFor(service, owner, agent);
    const second = (await refresh(service, agent, first.refresh_token)).body;
    expect(await statusWith(first.access_token)).toBe(401);
    expect(await statusWith(second.access_token)).toBe(200);
    const again = (await refresh(service, agent, first.refresh_token)).body;
    expect(again).toMatchObject({
      access_token: second.access_token,
      refresh_token: second.refresh_token,
    });
    ahead.ms += REPEAT_MS + 1_000;
    expect(await refresh(service, agent, first.refresh_token)).toMatchObject(WRONG);
    expect(await statusWith(second.access_token)).toBe(401);
    expect(await refresh(service, agent, second.refresh_token)).toMatchObject(WRONG);
    expect((await audited('end_grant'))[0]).toMatchObject({ after: { reason: 'used_twice' } });
  });

  test('renews at once from twenty sides: all get the same tokens', async () => {
    const agent = await newAgent(service);
    const { refresh_token: token } = await tokensFor(service, owner, agent);
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(service, agent, token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
    expect(await statusWith(answers[0]!.body.access_token)).toBe(200);
  });

  test('is known at once where its key was read before it was renewed', async () => {
    const { db, clock } = service.services;
    // Another process, whose notices are lost.
    const deaf = { on() {}, async announce() {} };
    const elsewhere = createKeyCheck({
      ...{ db, clock, changes: deaf, sandbox: true, keyRate: { perSecond: 0, burst: 0 } },
    });
    const agent = await newAgent(service);
    const first = await tokensFor(service, owner, agent);
    await elsewhere.identify(first.access_token, '127.0.0.1');
    const second = (await refresh(service, agent, first.refresh_token)).body;
    await elsewhere.identify(second.access_token, '127.0.0.1');
    await expect(elsewhere.identify(first.access_token, '127.0.0.1')).rejects.toThrow(/API key/);
    await elsewhere.close();
  });

  test('loses its token after an hour, and the grant after its days', async () => {
    const agent = await newAgent(service);
    const first = await tokensFor(service, owner, agent);
    ahead.ms += ACCESS_MS + 1_000;
    expect(await statusWith(first.access_token)).toBe(401);
    const second = await refresh(service, agent, first.refresh_token);
    expect(await statusWith(second.body.access_token)).toBe(200);
    ahead.ms += GRANT_MS;
    expect(await refresh(service, agent, second.body.refresh_token)).toMatchObject(WRONG);
  });

  test('ends by itself, by its key, and by its person', async () => {
    const one = await newAgent(service);
    const tokens = await tokensFor(service, owner, one);
    expect((await post(service, '/oauth/revoke', { token: tokens.refresh_token })).status).toBe(200);
    expect(await statusWith(tokens.access_token)).toBe(401);
    expect((await audited('end_grant'))[0]).toMatchObject({ after: { reason: 'program_left' } });
    const two = await tokensFor(service, owner, one);
    expect((await post(service, '/oauth/revoke', { token: two.access_token })).status).toBe(200);
    expect(await statusWith(two.access_token)).toBe(401);
    // Nobody learns whether there was such a token. RFC 7009 §2.2
    expect((await post(service, '/oauth/revoke', { token: 'x' })).status).toBe(200);
    expect((await post(service, '/oauth/revoke', { token: service.account.apiKey })).status).toBe(200);
    expect(await statusWith(service.account.apiKey)).toBe(200);
    const three = await tokensFor(service, owner, one);
    const { id } = (await account(three.access_token)).body.api_key;
    expect((await owner.call('DELETE', `/api-keys/${id}`)).status).toBe(204);
    expect(await statusWith(three.access_token)).toBe(401);
    expect(await refresh(service, one, three.refresh_token)).toMatchObject(WRONG);
  });

  test('is not renewed for a person who may make no keys any more', async () => {
    const agent = await newAgent(service);
    const second = await signedIn(service, service.account.tenantId, 'owner');
    const tokens = await tokensFor(service, second, agent);
    expect((await owner.call('PATCH', `/members/${second.userId}`, { role: 'viewer' })).status).toBe(200);
    expect(await refresh(service, agent, tokens.refresh_token)).toMatchObject(WRONG);
    expect(await statusWith(tokens.access_token)).toBe(401);
  });
});

describe('a code', () => {
  test.each<[string, Fields]>([
    ['of another client', { client_id: 'another' }],
    ['with another address', { redirect_uri: 'https://agent.example/other' }],
    ['without an address', { redirect_uri: undefined }],
    ['with another verifier', { code_verifier: 'x'.repeat(43) }],
    ['without a verifier', { code_verifier: undefined }],
    ['that was changed', { code: 'changed' }],
    ['without a code', { code: undefined }],
  ])('%s gives nothing, and is still good for its program', async (_name, wrong) => {
    const agent = await newAgent(service);
    const code = await codeFor(owner, agent);
    const other = wrong['client_id'] && (await newAgent(service)).clientId;
    const changed = wrong['code'] && `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
    const stolen = await redeem(service, agent, code, {
      ...wrong,
      ...(other !== undefined && { client_id: other }),
      ...(changed !== undefined && { code: changed }),
    });
    expect(stolen).toMatchObject(WRONG);
    expect((await redeem(service, agent, code)).status).toBe(200);
  });

  test('that comes twice ends what it gave', async () => {
    const agent = await newAgent(service);
    const code = await codeFor(owner, agent);
    const first = await redeem(service, agent, code);
    expect(await statusWith(first.body.access_token)).toBe(200);
    expect(await redeem(service, agent, code)).toMatchObject(WRONG);
    expect(await statusWith(first.body.access_token)).toBe(401);
    expect(await refresh(service, agent, first.body.refresh_token)).toMatchObject(WRONG);
  });

  test('that comes ten times at once gives one key at most', async () => {
    const agent = await newAgent(service);
    const code = await codeFor(owner, agent);
    const before = (await listed()).length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(service, agent, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await listed()).length).toBe(before);
  });

  test('in a form of thousands of fields, or with one twice, is refused after one look at each', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [n.toString(36), '']));
    const lookedUp = vi.spyOn(URLSearchParams.prototype, 'getAll');
    const answer = await post(service, '/oauth/token', { ...many, grant_type: 'none' });
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type']);
    expect(lookedUp.mock.calls.length).toBeLessThan(20);
    lookedUp.mockRestore();
    const twice = await service.call('POST', '/oauth/token', {
      key: null,
      body: 'grant_type=refresh_token&x=1&x=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
  });

  test('is good for a minute', async () => {
    const agent = await newAgent(service);
    const code = await codeFor(owner, agent);
    ahead.ms += CODE_MS + 1;
    expect(await redeem(service, agent, code)).toMatchObject(WRONG);
  });

  test('is for this MCP server alone, and so are tokens', async () => {
    const agent = await newAgent(service);
    const other = { resource: 'https://other.example/mcp' };
    const code = await codeFor(owner, agent);
    const target = { status: 400, body: { error: 'invalid_target' } };
    expect(await redeem(service, agent, code, other)).toMatchObject(target);
    const { body } = await redeem(service, agent, code);
    expect(await refresh(service, agent, body.refresh_token, other)).toMatchObject(target);
  });

  test('is neither a refresh token nor a client, and the other way round', async () => {
    const agent = await newAgent(service);
    const code = await codeFor(owner, agent);
    expect(await refresh(service, agent, code)).toMatchObject(WRONG);
    expect(await redeem(service, agent, code, { client_id: code })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const { body } = await redeem(service, agent, code);
    expect(await redeem(service, agent, body.refresh_token)).toMatchObject(WRONG);
    const thief = await newAgent(service);
    expect(await refresh(service, thief, body.refresh_token)).toMatchObject(WRONG);
    expect((await refresh(service, agent, body.refresh_token)).status).toBe(200);
  });
});
