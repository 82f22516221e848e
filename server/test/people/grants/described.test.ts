import { type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOutboundHttp, type OutboundHttp } from '../../../src/platform/network/outbound-http.ts';
import { type Person, signedIn } from '../../support/people.ts';
import type { TestService } from '../../support/service.ts';
import {
  type Agent,
  approve,
  codeFor,
  newAgent,
  RETURN,
  redeem,
  refresh,
  startGranting,
  tokensFor,
} from './harness.ts';

/** A program that a document describes, at a host with a certificate of the test's. */
let service: TestService;
let owner: Person;
let host: HttpsReceiver;
let trusting: OutboundHttp;
let url: string;
beforeAll(async () => {
  ({ service } = await startGranting());
  owner = await signedIn(service, service.account.tenantId, 'owner');
  host = await startHttpsReceiver();
  trusting = createOutboundHttp({
    allowLoopback: true,
    ca: [host.caPem],
    resolve: async () => ['127.0.0.1'],
  });
  vi.spyOn(service.services.outbound, 'get').mockImplementation(trusting.get);
  url = host.url('/client.json', 'hooks.test');
  publish();
});
afterAll(async () => {
  await service?.stop();
  await trusting?.close();
  await host?.close();
});

function publish(changes: object = {}): void {
  const document = { client_id: url, client_name: 'Described', redirect_uris: [RETURN], ...changes };
  const headers = { 'content-type': 'application/json' };
  host.answer(() => ({ kind: 'status', status: 200, headers, body: JSON.stringify(document) }));
}

async function described(changes: Agent['asked'] = {}): Promise<Agent> {
  return { ...(await newAgent(service, { client_id: url, ...changes })), clientId: url };
}
const shown = ({ asked }: Agent) =>
  owner.call('GET', `/grants/request?${new URLSearchParams(asked as Record<string, string>)}`);
const statusWith = async (key: string) => (await service.call('GET', '/v1/account', { key })).status;

test('is let in: the person sees the host, and the audit log has the address', async () => {
  const agent = await described();
  const { body } = await shown(agent);
  expect(body).toMatchObject({
    ...{ program: 'Described', described_at: `hooks.test:${host.port}`, returns_to: 'agent.example' },
    problem: null,
  });
  const code = await codeFor(owner, agent);
  const fetched = host.requests.length;
  const { body: tokens } = await redeem(service, agent, code);
  expect(await statusWith(tokens.access_token)).toBe(200);
  expect(await refresh(service, agent, tokens.refresh_token)).toMatchObject({ status: 200 });
  // Who has no session has nothing fetched.
  expect(host.requests.length).toBe(fetched);
  const [entry] = (await owner.call('GET', '/audit?action=approve_grant&limit=1')).body.data;
  expect(entry.after).toMatchObject({ program: 'Described', described_at: url, returns_to: RETURN });
});

test('one that registered is described nowhere', async () => {
  const { body } = await shown(await newAgent(service));
  expect(body).toMatchObject({ program: 'Test agent', described_at: null });
});

test('is connected on a second machine without ending the first', async () => {
  const agent = await described();
  const first = await tokensFor(service, owner, agent);
  const second = await tokensFor(service, owner, agent);
  expect(await statusWith(first.access_token)).toBe(200);
  expect(await statusWith(second.access_token)).toBe(200);
});

test('goes back to an address of its document alone', async () => {
  const elsewhere = await described({ redirect_uri: 'https://elsewhere.example/callback' });
  const refused = { status: 400, body: { error: { code: 'invalid_parameter' } } };
  expect(await shown(elsewhere)).toMatchObject(refused);
  expect(await approve(owner, elsewhere)).toMatchObject(refused);
});

test('is judged again when it is approved', async () => {
  const agent = await described();
  expect((await shown(agent)).status).toBe(200);
  publish({ redirect_uris: ['https://elsewhere.example/callback'] });
  const refused = await approve(owner, agent);
  publish();
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter' } } });
});

test('its code and tokens are good with its own address alone', async () => {
  const agent = await described();
  const other = { client_id: `${url}?another` };
  const wrong = { status: 400, body: { error: 'invalid_grant' } };
  const code = await codeFor(owner, agent);
  expect(await redeem(service, agent, code, other)).toMatchObject(wrong);
  expect(await redeem(service, await newAgent(service), code)).toMatchObject(wrong);
  const { body } = await redeem(service, agent, code);
  expect(await refresh(service, agent, body.refresh_token, other)).toMatchObject(wrong);
  expect((await refresh(service, agent, body.refresh_token)).status).toBe(200);
});

test('is announced', async () => {
  const { body } = await service.call('GET', '/.well-known/oauth-authorization-server', { key: null });
  expect(body).toMatchObject({ client_id_metadata_document_supported: true });
  expect(body.registration_endpoint).toMatch(/\/oauth\/register$/);
});
