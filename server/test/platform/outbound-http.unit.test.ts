import { subscribe } from 'node:diagnostics_channel';
import { getEventListeners, setMaxListeners } from 'node:events';
import { createServer } from 'node:net';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { type Answer, type HttpsReceiver, startHttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  createOutboundHttp,
  OUTBOUND_TIMEOUT_MS,
  type OutboundHttp,
  type PostResult,
} from '../../src/platform/network/outbound-http.ts';

let receiver: HttpsReceiver;
const opened: OutboundHttp[] = [];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  receiver = await startHttpsReceiver();
});

afterEach(async () => {
  receiver.answer(() => ({ kind: 'status', status: 200 }));
  for (const http of opened.splice(0)) await http.close();
  for (const close of closing.splice(0)) await close();
});

afterAll(() => receiver.close());

function outbound(addresses: string[] = ['127.0.0.1'], timeoutMs = 2 * PATIENCE_MS): OutboundHttp {
  const http = createOutboundHttp({
    allowLoopback: true,
    ca: [receiver.caPem],
    resolve: async () => addresses,
    timeoutMs,
  });
  opened.push(http);
  return http;
}

const BODY = Buffer.from('{"ñ":"\\u0000"}');

function post(http: OutboundHttp, ...stops: AbortSignal[]): Promise<PostResult> {
  return http.post(receiver.url('/hooks?x=1'), { 'X-Test': 'ñ'.normalize('NFC') }, BODY, ...stops);
}

test('the body arrives byte for byte, with the headers and nothing of a browser or proxy', async () => {
  const result = await outbound().post(receiver.url('/a?b=c'), { 'Content-Type': 'application/json' }, BODY);
  expect(result).toEqual({
    ok: true,
    statusCode: 200,
    durationMs: expect.any(Number),
    answer: { headers: expect.any(Object), excerpt: expect.any(String) },
  });
  const got = receiver.requests.at(-1)!;
  expect(got.method).toBe('POST');
  expect(got.path).toBe('/a?b=c');
  expect(got.body.equals(BODY)).toBe(true);
  expect(Object.keys(got.headers).sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
});

test('each status is what the contract says of it', async () => {
  const http = outbound();
  for (const [status, ok] of [
    [200, true],
    [201, true],
    [204, true],
    [299, true],
    [304, false],
    [400, false],
    [410, false],
    [429, false],
    [500, false],
    [599, false],
  ] as const) {
    receiver.answer(() => ({ kind: 'status', status }));
    expect(await post(http), String(status)).toMatchObject({ ok, statusCode: status });
  }
});

test.each([301, 302, 303, 307, 308])('a %i is a failure and is not followed', async (status) => {
  const before = receiver.requests.length;
  receiver.answer(() => ({ kind: 'status', status, headers: { location: receiver.url('/elsewhere') } }));
  expect(await post(outbound())).toMatchObject({
    ok: false,
    statusCode: status,
    error: `answered ${status} (redirects are not followed)`,
  });
  expect(receiver.requests.length).toBe(before + 1);
});

test('proxy variables are not read', async () => {
  const proxy = createServer();
  let proxied = 0;
  proxy.on('connection', (socket) => {
    proxied++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = url;
  process.env['NODE_USE_ENV_PROXY'] = '1';
  closing.push(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    delete process.env['NODE_USE_ENV_PROXY'];
    await new Promise((resolve) => proxy.close(resolve));
  });
  expect(await post(outbound())).toMatchObject({ ok: true });
  expect(proxied).toBe(0);
});

test('connections are used again', async () => {
  const http = outbound();
  const before = receiver.connections;
  receiver.answer(() => ({ kind: 'status', status: 200, body: 'x'.repeat(1_000) }));
  for (let count = 0; count < 5; count++) await post(http);
  // One more where the answer's end was not seen yet when the next request came.
  expect(receiver.connections).toBeLessThanOrEqual(before + 2);
});

test('a 2xx counts whatever its body does: endless, trickling or broken off', async () => {
  const http = outbound();
  const sentBefore = receiver.bodyBytesSent;
  receiver.answer(() => ({ kind: 'flood', status: 200 }));
  expect(await post(http)).toMatchObject({ ok: true });
  // Unread bytes stayed in the buffers of two sockets.
  expect(receiver.bodyBytesSent - sentBefore).toBeLessThan(8 * 1024 * 1024);
  receiver.answer(() => ({ kind: 'trickle', status: 204 + 1, everyMs: 20 }));
  const trickling = await post(http);
  expect(trickling).toMatchObject({ ok: true, statusCode: 205 });
  expect(trickling.durationMs).toBeLessThan(PATIENCE_MS);
  receiver.answer(() => ({ kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort' }));
  expect(await post(http)).toMatchObject({ ok: true });
  await expect.poll(() => receiver.openConnections).toBeLessThanOrEqual(1);
});

test('an answer in chunks of a byte is cut early', async () => {
  const bytes = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(4_000)}`;
  receiver.answer(() => ({ kind: 'raw', bytes }));
  const { answer } = await post(outbound());
  expect(answer?.excerpt).toMatch(/^x{1,300}$/);
});

const SILENT: [string, Answer][] = [
  ['says nothing', { kind: 'stall' }],
  ['sends half a status line', { kind: 'raw', bytes: 'HTTP/1.1 2' }],
  ['sends headers without end', { kind: 'raw', bytes: 'HTTP/1.1 200 OK\r\nX-A: ' }],
  ['sends interim answers only', { kind: 'raw', bytes: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10) }],
];

test.each(SILENT)('a receiver that %s is given up in time', async (_name, answer) => {
  receiver.answer(() => answer);
  const result = await post(outbound(['127.0.0.1'], 600));
  expect(result).toMatchObject({ ok: false, statusCode: null, error: 'no answer within 600 ms' });
  expect(result.durationMs).toBeGreaterThanOrEqual(590);
});

test('the time that the contract gives is 15 s, look-up, connection, TLS and answer together', async () => {
  expect(OUTBOUND_TIMEOUT_MS).toBe(15_000);
  const http = createOutboundHttp({
    allowLoopback: true,
    resolve: () => new Promise(() => {}),
    timeoutMs: 300,
  });
  opened.push(http);
  expect(await post(http)).toMatchObject({ ok: false, error: 'no answer within 300 ms' });
});

test('fifteen seconds are waited for a receiver that is silent, and no more', async () => {
  receiver.answer(() => ({ kind: 'stall' }));
  const http = createOutboundHttp({
    allowLoopback: true,
    ca: [receiver.caPem],
    resolve: async () => ['127.0.0.1'],
  });
  opened.push(http);
  const result = await post(http);
  expect(result).toMatchObject({ ok: false, statusCode: null, error: 'no answer within 15000 ms' });
  expect(result.durationMs).toBeGreaterThanOrEqual(14_900);
});

const BROKEN: [string, Answer][] = [
  ['hangs up', { kind: 'hang-up' }],
  ['speaks no HTTP', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9\r\n' }],
  [
    'sends headers over the limit',
    { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n` },
  ],
  [
    'upgrades',
    { kind: 'raw', bytes: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n' },
  ],
];

test.each(BROKEN)('a receiver that %s is a failure with a reason', async (_name, answer) => {
  receiver.answer(() => answer);
  const result = await post(outbound(['127.0.0.1'], 1_500));
  expect(result).toMatchObject({
    ok: false,
    statusCode: null,
    error: expect.stringMatching(/^\P{Cc}{4,300}$/u),
  });
});

test('a certificate that nobody vouches for, or for another name, is refused', async () => {
  const stranger = createOutboundHttp({ allowLoopback: true, resolve: async () => ['127.0.0.1'] });
  opened.push(stranger);
  expect(await post(stranger)).toMatchObject({ ok: false, error: expect.stringContaining('certificate') });
  const result = await outbound().post(receiver.url('/', 'other.test'), {}, BODY);
  expect(result).toMatchObject({ ok: false, error: expect.stringContaining('other.test') });
});

test('the next address is tried when one refuses or hangs, three at most', async () => {
  // Nobody listens on 127.0.0.2 and 127.0.0.3; 127.0.0.4 takes connections and says nothing.
  expect(await post(outbound(['127.0.0.2', '127.0.0.1']))).toMatchObject({ ok: true });
  const silent = createServer((socket) => socket.on('error', () => {}).resume());
  await new Promise<void>((resolve) => silent.listen(receiver.port, '127.0.0.4', resolve));
  closing.push(() => new Promise((resolve) => silent.close(resolve)));
  expect(await post(outbound(['127.0.0.4', '127.0.0.1'], 6_000))).toMatchObject({ ok: true });
  const before = receiver.connections;
  const result = await post(outbound(['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.1']));
  const error = expect.stringContaining('ECONNREFUSED');
  expect(result).toMatchObject({ ok: false, ours: false, error });
  expect(receiver.connections).toBe(before);
});

test('a caller that stops ends the attempt at once', async () => {
  receiver.answer(() => ({ kind: 'stall' }));
  const stop = new AbortController();
  const under = post(outbound(), stop.signal);
  setTimeout(() => stop.abort(new Error('shutting down')), 50);
  const result = await under;
  expect(result).toMatchObject({ ok: false, statusCode: null });
  expect(result.durationMs).toBeLessThan(PATIENCE_MS);
  expect(await post(outbound(), AbortSignal.abort())).toMatchObject({ ok: false, statusCode: null });
});

test('a status that was there when the caller stopped counts', async () => {
  receiver.answer(() => ({ kind: 'trickle', status: 200, everyMs: 20 }));
  const stop = new AbortController();
  const under = post(outbound(), stop.signal);
  await new Promise((resolve) => subscribe('undici:request:headers', resolve));
  stop.abort(new Error('shutting down'));
  expect(await under).toMatchObject({ ok: true, statusCode: 200 });
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

/** Requests of one caller at the same time, which listen to its signal until each has ended. */
const STALLED = 40;

test('one that stalls on an origin leaves room for the others on it', async () => {
  const http = outbound();
  const enough = new AbortController();
  setMaxListeners(STALLED, enough.signal);
  receiver.answer((request) =>
    request.path === '/stall' ? { kind: 'stall' } : { kind: 'status', status: 200 },
  );
  let ended = 0;
  const stalled = Array.from({ length: STALLED }, async () => {
    const result = await http.post(receiver.url('/stall'), {}, BODY, enough.signal);
    ended++;
    return result;
  });
  expect(await http.post(receiver.url('/'), {}, BODY)).toMatchObject({ ok: true });
  expect(ended).toBe(0);
  enough.abort();
  expect((await Promise.all(stalled)).every((result) => !result.ok)).toBe(true);
  expect(getEventListeners(enough.signal, 'abort'), 'nothing is left on a signal that lives on').toEqual([]);
});

test.each([
  ['EMFILE', true],
  ['ENOTFOUND', false],
])('a look-up that fails with %s: whose fault it is (ours: %s)', async (code, ours) => {
  const http = createOutboundHttp({
    allowLoopback: true,
    resolve: async () => {
      throw Object.assign(new Error(`look-up ${code}`), { code });
    },
  });
  opened.push(http);
  expect(await http.post('https://hooks.test/x', {}, BODY)).toMatchObject({ ok: false, ours });
});
