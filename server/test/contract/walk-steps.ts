import { randomBytes } from 'node:crypto';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { eventually } from '@acuse/testkit/eventually';
import { API_KEYS_MAX } from '../../src/accounts/api-keys/operations.ts';
import { markVerified } from '../../src/accounts/domains/register.ts';
import { newId } from '../../src/platform/ids.ts';
import { createShare } from '../../src/surfaces/portal/shares/shares.ts';
import { newKey } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';
import type { Ask } from './conform.ts';
import type { WalkWorld } from './walk-world.ts';

export type Step = Omit<Ask, 'body'> & { body?: unknown; key?: string | null; base?: string };

/** Things in the account once the world is made. */
export interface Things {
  /** Sent, and sealed. */
  readonly sealed: string;
  readonly plain: string;
  readonly template: string;
  readonly domain: string;
  readonly sender: string;
  readonly webhook: string;
  readonly disabledWebhook: string;
  readonly delivery: string;
  readonly disabledDelivery: string;
  readonly treeSize: number;
}

export const GOOD_SEND = {
  from: 'billing@sandbox.test',
  to: 'delivered@sandbox.test',
  subject: 'Hello',
  text: 'Hello',
};

async function made(world: WalkWorld, path: string, body: object): Promise<string> {
  const answer = await world.call({ method: 'POST', path, body, headers: { 'idempotency-key': newKey() } });
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status} ${answer.body}`);
  return (answer.json() as { id: string }).id;
}

/** Makes one of everything, through the API alone. */
export async function makeThings(world: WalkWorld): Promise<Things> {
  const url = world.receiver.url('/hooks', '127.0.0.1');
  const webhook = await made(world, '/v1/webhooks', { url, events: ['*'] });
  const disabledWebhook = await made(world, '/v1/webhooks', { url, events: ['email.queued'] });
  const sealed = await made(world, '/v1/messages', GOOD_SEND);
  const plain = await made(world, '/v1/messages', { ...GOOD_SEND, certified: false });
  const domain = await made(world, '/v1/domains', { name: 'walk.example.com' });
  const deliveries = (id: string) =>
    eventually(async () => {
      const list = await world.call({ method: 'GET', path: `/v1/webhooks/${id}/deliveries` });
      return (list.json() as { data: { id: string }[] }).data[0]?.id;
    });
  const disabledDelivery = await deliveries(disabledWebhook);
  await world.call({ method: 'PATCH', path: `/v1/webhooks/${disabledWebhook}`, body: { enabled: false } });
  await eventually(async () =>
    (await world.call({ method: 'GET', path: `/v1/messages/${sealed}/dsn` })).status === 200
      ? true
      : undefined,
  );
  const treeSize = await eventually(async () => {
    const answer = await world.call({ method: 'GET', path: `/v1/messages/${sealed}/evidence` });
    return answer.status === 200 ? (answer.json() as { tree_size: number }).tree_size : undefined;
  });
  return {
    sealed,
    plain,
    domain,
    treeSize,
    webhook,
    disabledWebhook,
    disabledDelivery,
    delivery: await deliveries(webhook),
    template: await made(world, '/v1/templates', { name: 'walk', subject: 'S', text: 'Hello {{ name }}' }),
    sender: await made(world, '/v1/senders', { address: 'walk@walk.example.com' }),
  };
}

/** Shares are made in the portal, and opened by anybody. */
async function openedShare({ beside }: WalkWorld, messageId: string): Promise<Step> {
  const { services, account } = beside;
  const { share, secret } = await createShare(
    { ...services, log: services.logSigner },
    { tenantId: account.tenantId, actor: { kind: 'user', id: newId(), name: 'Ana' } },
    messageId,
    {
      shown: { message: true, parts: [], delivery: true },
      expiresAt: new Date(Date.now() + 60_000),
      note: null,
    },
  );
  return post(`/prove/${share.shareId}`, { secret });
}

const post = (path: string, body?: unknown): Step => ({
  method: 'POST',
  path,
  ...(body !== undefined && { body }),
});
const get = (path: string, headers?: Record<string, string>): Step => ({
  method: 'GET',
  path,
  ...(headers && { headers }),
});
const send = (body: object, idempotencyKey = newKey()): Step => ({
  ...post('/v1/messages', body),
  headers: { 'idempotency-key': idempotencyKey },
});

const again = (message: string, idempotencyKey = newKey()): Step => ({
  ...post(`${message}/resend`),
  headers: { 'idempotency-key': idempotencyKey },
});

/**
 * Requests that reach what no rule reaches: successes, conflicts, refusals of the account's state. By
 * operation, in order.
 */
export async function specialSteps(world: WalkWorld, things: Things): Promise<Record<string, Step[]>> {
  const { sealed, plain, template, domain, sender, webhook, disabledWebhook, delivery, disabledDelivery } =
    things;
  const message = `/v1/messages/${sealed}`;
  const [key, resendKey] = [newKey(), newKey()];
  const spare = async (path: string, body: object) => `${path}/${await made(world, path, body)}`;
  const full = await fullAccount(world);
  return {
    sendMessage: [
      send(GOOD_SEND, key),
      send(GOOD_SEND, key),
      send({ ...GOOD_SEND, from: 'a@elsewhere.example' }),
      send({ from: GOOD_SEND.from, to: GOOD_SEND.to, template_id: newId() }),
    ],
    sendBatch: [
      post('/v1/messages/batch', {
        messages: [{ idempotency_key: key, ...GOOD_SEND }, { idempotency_key: newKey(), ...GOOD_SEND }, {}],
      }),
    ],
    listMessages: [get('/v1/messages?limit=2&certified=true&status=sent,queued&subject=hello')],
    getMessage: [get(message)],
    listMessageEvents: [get(`${message}/events`)],
    listEvents: [
      get('/v1/events?limit=2&type=email.queued,email.sent'),
      get(`/v1/events?order=asc&message_id=${sealed}`),
    ],
    getRawMessage: [get(`${message}/raw`)],
    listMessageAttempts: [get(`${message}/attempts`)],
    listMessageReports: [get(`${message}/reports`)],
    getMessageDsn: [get(`${message}/dsn`)],
    getMessageWaiting: [get(`${await deferredMessage(world)}/waiting`), get(`${message}/waiting`)],
    getMessageParts: [get(`${message}/parts`)],
    getMessagePart: [get(`${message}/parts/0`)],
    getEvidence: [get(`${message}/evidence`), get(`/v1/messages/${plain}/evidence`)],
    getProofBundle: [
      get(`${message}/proof-bundle`),
      get(`${message}/proof-bundle`, { accept: 'application/json' }),
      get(`/v1/messages/${plain}/proof-bundle`),
    ],
    retryMessage: [post(`${await deferredMessage(world)}/retry`), post(`${message}/retry`)],
    updateMessage: await moveSteps(world, message),
    cancelMessage: [post(`${await deferredMessage(world)}/cancel`), post(`${message}/cancel`)],
    resendMessage: [
      again(`/v1/messages/${plain}`, resendKey),
      again(`/v1/messages/${plain}`, resendKey),
      again(`/v1/messages/${plain}`, key),
      again(`/v1/messages/${newId()}`),
      again(await deferredMessage(world)),
    ],
    sealMessage: [post(`${message}/seal`), post(`${message}/seal`), post(`/v1/messages/${plain}/seal`)],
    verifyMessage: [
      post('/v1/verify', { message_id: sealed }),
      post('/v1/verify', { message_id: plain }),
      post('/v1/verify', { message_id: newId() }),
    ],
    openShare: [await openedShare(world, sealed)],
    createTemplate: [
      post('/v1/templates', { name: 'new', subject: 'S', html: '<p>x</p>' }),
      post('/v1/templates', { name: 'new', subject: 'S', text: 'x' }),
    ],
    listTemplates: [get('/v1/templates')],
    listTemplateVersions: [get(`/v1/templates/${template}/versions`)],
    getTemplate: [get(`/v1/templates/${template}`)],
    updateTemplate: [
      { method: 'PATCH', path: `/v1/templates/${template}`, body: { subject: 'New' } },
      { method: 'PATCH', path: `/v1/templates/${template}`, body: { name: 'new' } },
    ],
    deleteTemplate: [
      { method: 'DELETE', path: await spare('/v1/templates', { name: 'spare', subject: 'S', text: 'T' }) },
    ],
    renderTemplateDraft: [
      post('/v1/templates/render', { subject: 'S', text: 'Hello {{ name }}', variables: { name: 'Ana' } }),
      post('/v1/templates/render', { subject: 'S', text: 'Hello {{ name }}' }),
    ],
    renderTemplate: [
      post(`/v1/templates/${template}/render`, { variables: { name: 'Ana' } }),
      post(`/v1/templates/${template}/render`, {}),
    ],
    createDomain: [
      post('/v1/domains', { name: 'new.example.com' }),
      post('/v1/domains', { name: 'new.example.com' }),
    ],
    listDomains: [get('/v1/domains')],
    getDomain: [get(`/v1/domains/${domain}`)],
    getDomainReports: [get(`/v1/domains/${domain}/reports`)],
    getDomainRequirements: [get(`/v1/domains/${domain}/requirements`)],
    deleteDomain: [{ method: 'DELETE', path: await spare('/v1/domains', { name: 'spare.example.com' }) }],
    verifyDomain: [post(`/v1/domains/${domain}/verify`), await contestedVerification(world)],
    rotateDkim: [post(`/v1/domains/${domain}/rotate-dkim`)],
    createSender: [
      post('/v1/senders', { address: 'new@sandbox.test' }),
      post('/v1/senders', { address: 'new@sandbox.test' }),
      post('/v1/senders', { address: 'a@elsewhere.example' }),
    ],
    listSenders: [get('/v1/senders')],
    getSender: [get(`/v1/senders/${sender}`)],
    updateSender: [{ method: 'PATCH', path: `/v1/senders/${sender}`, body: { active: false } }],
    deleteSender: [{ method: 'DELETE', path: await spare('/v1/senders', { address: 'spare@sandbox.test' }) }],
    createSuppression: [
      post('/v1/suppressions', { address: 'new@example.net' }),
      post('/v1/suppressions', { address: 'new@example.net' }),
      { ...post('/v1/suppressions', { address: 'more@example.net' }), key: full.key },
    ],
    listVerifications: [get('/v1/verifications?limit=2')],
    importSuppressions: ['address\na@example.net\nx', 'none\nx'].map((body) => ({
      ...post('/v1/suppressions/import', body),
      headers: { 'content-type': 'text/csv' },
    })),
    exportSuppressions: [get('/v1/suppressions/export')],
    exportMessages: [get('/v1/messages/export?status=sent')],
    listSuppressions: [get('/v1/suppressions?address=new@example.net')],
    deleteSuppression: [
      { method: 'DELETE', path: await spare('/v1/suppressions', { address: 'spare@example.net' }) },
    ],
    createWebhook: [
      post('/v1/webhooks', { url: world.receiver.url('/new', '127.0.0.1'), events: ['email.sent'] }),
      {
        ...post('/v1/webhooks', { url: world.receiver.url('/x', '127.0.0.1'), events: ['*'] }),
        key: full.key,
      },
    ],
    listWebhooks: [get('/v1/webhooks')],
    getWebhook: [get(`/v1/webhooks/${webhook}`)],
    updateWebhook: [{ method: 'PATCH', path: `/v1/webhooks/${webhook}`, body: { description: 'walk' } }],
    deleteWebhook: [
      {
        method: 'DELETE',
        path: await spare('/v1/webhooks', {
          url: world.receiver.url('/spare', '127.0.0.1'),
          events: ['email.sent'],
        }),
      },
    ],
    rotateWebhookSecret: [post(`/v1/webhooks/${webhook}/rotate-secret`)],
    pingWebhook: [post(`/v1/webhooks/${webhook}/ping`)],
    listWebhookDeliveries: [get(`/v1/webhooks/${webhook}/deliveries?status=delivered`)],
    getWebhookDelivery: [get(`/v1/webhooks/${webhook}/deliveries/${delivery}`)],
    replayWebhookDelivery: [
      post(`/v1/webhooks/${webhook}/deliveries/${delivery}/replay`),
      post(`/v1/webhooks/${disabledWebhook}/deliveries/${disabledDelivery}/replay`),
    ],
    countWebhookReplay: [get(`/v1/webhooks/${webhook}/replay?since=2026-01-01T00:00:00Z`)],
    replayWebhookDeliveries: [
      post(`/v1/webhooks/${webhook}/replay`, { since: '2026-01-01T00:00:00Z' }),
      post(`/v1/webhooks/${disabledWebhook}/replay`, { since: '2026-01-01T00:00:00Z' }),
    ],
    getRates: [get('/v1/rates?days=3')],
    getAccount: [get('/v1/account')],
    createApiKey: [
      post('/v1/api-keys', { name: 'new', scopes: ['evidence:read'] }),
      { ...post('/v1/api-keys', { name: 'more', scopes: ['evidence:read'] }), key: full.key },
    ],
    listApiKeys: [get('/v1/api-keys')],
    revokeApiKey: [
      { method: 'DELETE', path: await spare('/v1/api-keys', { name: 'spare', scopes: ['evidence:read'] }) },
    ],
    reportLeakedApiKey: [
      post(`${await spare('/v1/api-keys', { name: 'leaked', scopes: ['evidence:read'] })}/leak`),
    ],
    getLogCheckpoint: [get('/log/checkpoint')],
    getLogKey: [get('/log/key')],
    getLogTile: [
      get(`/log/tile/0/000.p/${Math.min(255, things.treeSize)}`),
      get('/log/tile/entries/000.p/1'),
      get('/log/tile/9/999'),
    ],
    getLogCertificate: [get(`/log/certificates/${things.treeSize}`), get('/log/certificates/999999')],
    getHealth: [get('/healthz')],
    getReadiness: [get('/readyz')],
    developmentTimeStamp: [stampStep()],
    developmentRootCertificate: [get('/tsa/ca.pem')],
  };
}

/** The path of a message that waits for its next attempt. */
async function moveSteps(world: WalkWorld, ended: string): Promise<Step[]> {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const path = `/v1/messages/${await made(world, '/v1/messages', { ...GOOD_SEND, send_at: inDays(2) })}`;
  const move = (to: string, send_at: string | null): Step => ({
    method: 'PATCH',
    path: to,
    body: { send_at },
  });
  return [move(path, inDays(3)), move(path, inDays(40)), move(path, null), move(ended, inDays(1))];
}

async function deferredMessage(world: WalkWorld): Promise<string> {
  const to = `deferred+${newKey()}@sandbox.test`;
  const path = `/v1/messages/${await made(world, '/v1/messages', { ...GOOD_SEND, to })}`;
  return eventually(async () => {
    const { status } = (await world.call({ method: 'GET', path })).json() as { status: string };
    return status === 'deferred' ? path : undefined;
  });
}

function stampStep(): Step {
  const request = buildTimeStampRequest({ imprint: randomBytes(32), hashAlgorithm: 'sha256' });
  return {
    method: 'POST',
    path: '/tsa',
    body: request,
    headers: { 'content-type': 'application/timestamp-query' },
  };
}

/** An account that has all the webhooks, keys and suppressed addresses that it may have. */
async function fullAccount({ beside, receiver }: WalkWorld): Promise<{ key: string }> {
  const { tenantId, key } = await makeTenant(beside);
  await beside.db.execute(
    `insert into suppressions (tenant_id, suppression_id, address, reason, source, created_at)
     select $1, gen_random_uuid(), 'full' || n || '@example.net', 'full', 'manual',
       now() from generate_series(1, 100000) n`,
    [tenantId],
  );
  await beside.db.asTenant(tenantId, (tx) =>
    tx.execute(
      `insert into api_keys (tenant_id, api_key_id, name, scopes, secret_sha256, created_at)
       select tenant_id, gen_random_uuid(), name, scopes, secret_sha256, created_at
       from api_keys, generate_series(2, $2::int) where tenant_id = $1`,
      [tenantId, API_KEYS_MAX],
    ),
  );
  for (let at = 0; at < 20; at++)
    await beside.call('POST', '/v1/webhooks', {
      body: { url: receiver.url('/full', '127.0.0.1'), events: ['email.sent'] },
      key,
    });
  return { key };
}

/**
 * A domain whose records are all right, and that is verified for somebody else: the look-up is answered in
 * this process.
 */
async function contestedVerification({ beside }: WalkWorld): Promise<Step> {
  const [first, second] = [await makeTenant(beside), await makeTenant(beside)];
  const name = 'contested.example.com';
  const { id } = (await beside.call('POST', '/v1/domains', { body: { name }, key: second.key })).body;
  const holder = await giveDomain(beside, first.tenantId, name);
  await markVerified(beside.services.domains, first.tenantId, holder);
  Object.assign(beside.services.domains, {
    dns: {
      check: async (wanted: object[]) => wanted.map((record) => ({ ...record, status: 'found', found: [] })),
    },
  });
  const base = await beside.http.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...post(`/v1/domains/${id}/verify`), key: second.key, base };
}
