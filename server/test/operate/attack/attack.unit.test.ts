import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack, shortcomings } from '../../../src/operate/attack/attack.ts';
import { DOORS } from '../../../src/operate/attack/doors.ts';
import { readListener, readTarget, routeFor, type Target } from '../../../src/operate/attack/target.ts';

describe('goes to', () => {
  test.each([
    ['http://127.0.0.1:8025', undefined],
    ['http://localhost:8025', undefined],
    ['http://[::1]:8025/', undefined],
    ['https://staging.example.com', 'staging.example.com'],
  ])('%s with --staging %s', (url, staging) => {
    expect(readTarget(url, staging)).toMatchObject({ isLoopback: staging === undefined });
  });

  test.each([
    ['https://mail.example.com', undefined],
    ['https://mail.example.com', 'staging.example.com'],
    ['https://mail.example.com', 'example.com'],
    ['http://127.0.0.1.example.com', undefined],
    ['http://10.0.0.1', undefined],
    ['http://[::ffff:10.0.0.1]', undefined],
    ['http://127.0.0.1@mail.example.com', undefined],
    ['ftp://127.0.0.1', undefined],
    ['127.0.0.1', undefined],
  ])('not to %s with --staging %s', (url, staging) => {
    expect(readTarget(url, staging)).toEqual(expect.any(String));
  });

  test('listeners of the same host alone', () => {
    const here = readTarget('http://127.0.0.1:8025', undefined) as Target;
    expect(readListener('127.0.0.1:587', here)).toEqual({ host: '127.0.0.1', port: 587 });
    for (const text of ['mail.example.com:25', '10.0.0.1:25', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:99999'])
      expect(readListener(text, here)).toEqual(expect.any(String));
    const there = readTarget('https://staging.example.com', 'staging.example.com') as Target;
    expect(readListener('staging.example.com:587', there)).toMatchObject({ port: 587 });
    expect(readListener('127.0.0.1:587', there)).toEqual(expect.any(String));
  });
});

test('attackers take addresses in turns, and on loopback the way of their family', () => {
  const sources = ['127.66.0.1', 'fd66:6:6::1'];
  const target = readTarget('http://127.0.0.1:8025', undefined, sources) as Target;
  expect([0, 1, 2].map((at) => routeFor(target, '127.0.0.1', at))).toEqual([
    { host: '127.0.0.1', localAddress: '127.66.0.1', family: 4 },
    { host: '::1', localAddress: 'fd66:6:6::1', family: 6 },
    { host: '127.0.0.1', localAddress: '127.66.0.1', family: 4 },
  ]);
  expect(readTarget('http://127.0.0.1:8025', undefined, ['::/48'])).toEqual(expect.any(String));
});

describe('within its limits', () => {
  let open = 0;
  let most = 0;
  const sources = new Set<string | undefined>();
  const sends = new Set<unknown>();
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const isOut = request.url === '/v1/account' && request.headers.authorization !== 'Bearer good';
    const isRefused = request.url === '/v1/portal/session';
    response.statusCode = isOut || isRefused ? 401 : 200;
    if (request.url === '/v1/messages') sends.add(request.headers['idempotency-key']);
    if (request.url !== '/v1/messages/batch') response.end('{}');
  });
  server.on('connection', (socket: Socket) => {
    most = Math.max(most, ++open);
    sources.add(socket.remoteAddress);
    socket.on('error', () => {});
    socket.once('close', () => open--);
  });
  let target: Target;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    target = readTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined) as Target;
  });
  afterAll(() => server.close());

  const nothing = { submission: null, returnPath: null, link: null, mail: null };
  const limits = { seconds: 1, sockets: 80, bytes: 4_000 };
  const still = new AbortController().signal;

  test('each door is tried, a client is watched, and all ends by itself', async () => {
    const rows = (await attack({ target, key: 'good', ...nothing }, DOORS, limits, still))!;
    expect(rows.map(({ door }) => door)).toEqual(DOORS);
    const attacked = rows.filter(({ seen }) => seen !== null);
    expect(attacked.map(({ door }) => door)).toEqual(['connections', 'sign-in', 'bodies', 'pipelining']);
    for (const { seen, got, door } of attacked) {
      expect(seen!.during.asked).toBeGreaterThan(1);
      expect([door, seen!.during.answered]).toEqual([door, seen!.during.asked]);
      expect(Object.values(got).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    }
    expect(sends.size).toBe(0);
    expect(rows[0]!.got).toEqual({ connected: 80 });
    // Attackers, the client and the probe.
    expect(most).toBeLessThanOrEqual(limits.sockets + 60);
    // Fifty networks, and the client's own address.
    expect(sources.size).toBe(51);
  });

  test('the known client sends, if it may', async () => {
    const mail = { from: 'a@example.com', to: 'b@example.com' };
    const rows = (await attack({ target, key: 'good', ...nothing, mail }, ['sign-in'], limits, still))!;
    const { before, during, after } = rows[0]!.seen!;
    expect(sends.size).toBe(before.asked + during.asked + after.asked);
  });

  test('a key that is not known attacks nothing', async () => {
    most = open = 0;
    expect(await attack({ target, key: 'bad', ...nothing }, DOORS, limits, still)).toBeNull();
    expect(most).toBe(1);
  });

  test('stops when it is told to', async () => {
    expect(await attack({ target, key: 'good', ...nothing }, DOORS, limits, AbortSignal.abort())).toEqual([]);
  });
});

test('says what a door did not stand', () => {
  const fine = {
    asked: 9,
    answered: 9,
    p50Ms: 1,
    p99Ms: 9,
    health: { asked: 4, answered: 4, p99Ms: 9, maxMs: 9 },
  };
  const row = (during: object) => ({
    door: 'dots' as const,
    seen: { before: fine, during: { ...fine, ...during }, after: fine },
    got: {},
  });
  expect(shortcomings(row({}))).toEqual([]);
  expect(shortcomings(row({ answered: 7 }))).toEqual(['2 requests of a known client failed']);
  expect(shortcomings(row({ p99Ms: 1_001 }))).toHaveLength(1);
  expect(shortcomings(row({ health: { asked: 4, answered: 3, p99Ms: 101, maxMs: 200 } }))).toHaveLength(2);
});
