import { type Answer, type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DOCUMENT_MAX_BYTES,
  DOCUMENT_URL_MAX_CHARS,
  fetchClient,
  isDocumentUrl,
} from '../../../src/people/grants/client-document.ts';
import { createOutboundHttp, type OutboundHttp } from '../../../src/platform/network/outbound-http.ts';

/** A program's host, and one of an internal network: a name that only a private address has. */
let host: HttpsReceiver;
let outbound: OutboundHttp;
beforeAll(async () => {
  host = await startHttpsReceiver();
  outbound = createOutboundHttp({
    allowLoopback: true,
    ca: [host.caPem],
    resolve: async (name) => (name === 'internal.test' ? ['10.0.0.8'] : ['127.0.0.1']),
  });
});
afterAll(async () => {
  await outbound?.close();
  await host?.close();
});

const url = () => host.url('/client.json', 'hooks.test');
const described = (changes: object = {}) => ({
  client_id: url(),
  client_name: 'Test agent',
  redirect_uris: ['https://agent.example/callback', 'http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  ...changes,
});
const json = (document: unknown, more: object = {}): Answer => ({
  ...{ kind: 'status', status: 200, headers: { 'content-type': 'application/json' } },
  body: typeof document === 'string' ? document : JSON.stringify(document),
  ...more,
});
const client = (answer: Answer, at = url()) => {
  host.answer(() => answer);
  return fetchClient(outbound, at);
};
const NONE = /gives no document about the program/;
const WRONG = /does not describe a program that can connect here/;

describe('a document about a program', () => {
  test('is read as a registration is, and says where it stands', async () => {
    const read = await client(json(described({ logo_uri: 'https://agent.example/logo', unknown: { a: 1 } })));
    expect(read).toEqual({
      name: 'Test agent',
      redirectUris: described().redirect_uris,
      describedAt: `hooks.test:${host.port}`,
    });
    const [{ method, headers }] = host.requests.slice(-1) as [(typeof host.requests)[number]];
    expect([method, headers['accept']]).toEqual(['GET', 'application/json']);
    expect(Object.keys(headers)).not.toContain('cookie');
  });

  test('may have a longer media type, no name, and addresses that are for other services', async () => {
    const type = { headers: { 'content-type': 'application/client+json; charset=utf-8' } };
    const uris = ['agent:callback', 'https://agent.example/callback', 'http://agent.example/callback'];
    const read = await client(json(described({ client_name: undefined, redirect_uris: uris }), type));
    expect(read.name).toBe(`hooks.test:${host.port}`);
    expect(read.redirectUris).toEqual(['https://agent.example/callback']);
  });

  test('is asked for each time: a mistake is not kept', async () => {
    await expect(client(json({}))).rejects.toThrow(WRONG);
    await expect(client(json(described()))).resolves.toHaveProperty('name', 'Test agent');
  });

  test.each<[string, object | string]>([
    ['of another address', { client_id: 'https://hooks.test/client.json' }],
    ['without an address', { client_id: undefined }],
    ['without redirect_uris', { redirect_uris: undefined }],
    ['with none', { redirect_uris: [] }],
    ['with redirect_uris that are no list', { redirect_uris: 'https://agent.example/callback' }],
    ['with none that can be used', { redirect_uris: ['http://agent.example/callback', 'agent:callback', 7] }],
    ['with a name that turns the line around', { client_name: 'agent\u202e' }],
    ['with a name that is too long', { client_name: 'x'.repeat(101) }],
    ['of a program that signs', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['with a secret', { client_secret: 'x' }],
    ['without codes', { grant_types: ['client_credentials'] }],
    ['that is a list', '[]'],
    ['that is nothing', 'null'],
    ['that is no JSON', 'root:x:0:0'],
    ['with a field twice', '{"client_id":"a","client_id":"b"}'],
    ['that is nested', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['that is empty', ''],
  ])('%s is refused, and not quoted', async (_name, document) => {
    const body = typeof document === 'string' ? document : described(document);
    const refused = await client(json(body)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_parameter' });
    expect(String(refused)).toMatch(WRONG);
    expect(String(refused)).not.toContain('root:');
  });

  test.each<[string, () => Answer]>([
    ['redirects', () => json('', { status: 302, headers: { location: host.url('/other') } })],
    ['answers 404', () => json(described(), { status: 404 })],
    ['answers 201', () => json(described(), { status: 201 })],
    ['answers with a page', () => json(described(), { headers: { 'content-type': 'text/html' } })],
    ['answers without a type', () => json(described(), { headers: {} })],
    ['hangs up', () => ({ kind: 'hang-up' })],
    ['answers with one byte too many', () => json(padded(DOCUMENT_MAX_BYTES + 1))],
    ['is no web server', () => ({ kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' })],
  ])('that does not come, because its host %s, is refused after one request', async (_name, answer) => {
    const before = host.requests.length;
    await expect(client(answer())).rejects.toThrow(NONE);
    expect(host.requests.length).toBe(before + 1);
  });

  const padded = (bytes: number) => {
    const { length } = JSON.stringify(described({ pad: '' }));
    return described({ pad: 'x'.repeat(bytes - length) });
  };
  test('may have as many bytes as are allowed', async () => {
    await expect(client(json(padded(DOCUMENT_MAX_BYTES)))).resolves.toHaveProperty('name', 'Test agent');
  });

  test('without end is not read to its end', async () => {
    const before = host.bodyBytesSent;
    await expect(client({ kind: 'flood', status: 200 })).rejects.toThrow(NONE);
    expect(host.bodyBytesSent - before).toBeLessThan(8 * 1024 * 1024);
  });

  test.each<[string, Answer]>([
    ['no answer', { kind: 'stall' }],
    ['an answer that trickles', { kind: 'trickle', status: 200, everyMs: 20 }],
  ])('%s is given up, and its connection closed', async (_name, answer) => {
    await expect(client(answer)).rejects.toThrow(NONE);
    await expect.poll(() => host.openConnections).toBe(0);
  });

  test('is not fetched from a private address, nor from a host with a wrong certificate', async () => {
    const before = host.requests.length;
    await expect(client(json(described()), 'https://internal.test/client.json')).rejects.toThrow(NONE);
    await expect(client(json(described()), 'https://169.254.169.254/client.json')).rejects.toThrow(NONE);
    await expect(client(json(described()), host.url('/client.json', 'other.test'))).rejects.toThrow(NONE);
    const strict = createOutboundHttp({ allowLoopback: false, ca: [host.caPem] });
    for (const own of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])
      await expect(fetchClient(strict, host.url('/client.json', own))).rejects.toThrow(NONE);
    await strict.close();
    expect(host.requests.length).toBe(before);
  });
});

test.each([
  'http://agent.example/client.json',
  'https://agent.example',
  'https://agent.example:443/client.json',
  'https://Agent.example/client.json',
  'https://agent.example/a/../client.json',
  'https://agent.example/%2e%2e/client.json',
  'https://agent.example/client.json#a',
  'https://agent.example/client.json#',
  'https://someone@agent.example/client.json',
  'https://someone:secret@agent.example/client.json',
  'https://agent.example\\client.json',
  'https://agent.example/client .json',
  ' https://agent.example/client.json',
  'https://127.1/client.json',
  'https:agent.example/client.json',
  'HTTPS://agent.example/client.json',
  'file:///etc/passwd',
  `https://agent.example/${'x'.repeat(DOCUMENT_URL_MAX_CHARS)}`,
  '',
])('%s is no address of a document', (id) => {
  expect(isDocumentUrl(id)).toBe(false);
});

test.each([
  'https://agent.example/client.json',
  'https://agent.example:8443/client.json?version=1',
  'https://agent.example/',
])('%s is one', (id) => {
  expect(isDocumentUrl(id)).toBe(true);
});
