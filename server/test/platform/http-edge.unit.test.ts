import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { eventually } from '@acuse/testkit/eventually';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { apiError } from '../../src/errors.ts';
import { HELD_SHARE_MAX_BYTES } from '../../src/platform/http/admission.ts';
import { BODY_PACE } from '../../src/platform/http/body.ts';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer, type HttpOptions } from '../../src/platform/http/http-server.ts';
import { UNANSWERED_MAX } from '../../src/platform/http/pipelining.ts';
import { createMetrics } from '../../src/platform/metrics.ts';

/** The HTTP server as strangers meet it: real sockets, and what they write byte by byte. */

interface Edge {
  app: App;
  port: number;
  lines: Record<string, unknown>[];
  /** Lets /wait answer. */
  goOn(): void;
  /** Requests that are in the hands of /wait. */
  waiting(): number;
  metric(name: string): Promise<number>;
  /** From an address of the loopback range. */
  open(from?: string): Promise<Raw>;
}

interface Raw {
  socket: Socket;
  write(text: string | Buffer): void;
  /** All that came once the connection is closed. */
  closed: Promise<string>;
  received(): string;
}

const MiB = 1024 * 1024;
const edges: Edge[] = [];
afterEach(async () => {
  for (const edge of edges.splice(0)) {
    edge.goOn();
    edge.app.server.closeAllConnections();
    await edge.app.close();
  }
});

async function openEdge(options: Partial<HttpOptions> = {}): Promise<Edge> {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const log = pino({ level: 'info' }, sink);
  const metrics = createMetrics({ log, process: false });
  const app = createHttpServer({
    log,
    metrics,
    trustProxy: null,
    authenticate: async (request) => {
      if (request.routeOptions.config.scopes === undefined) return;
      const tenantId = request.headers.authorization;
      if (tenantId === undefined) throw apiError('unauthorized');
      request.principal = { tenantId, actor: { kind: 'key', id: tenantId, name: 'test' }, scopes: [] };
    },
    ...options,
  });
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let waiting = 0;
  app.post('/open', { bodyLimit: 64 * MiB, config: { rawBody: true } }, async (request) => ({
    bytes: (request.body as Buffer).length,
  }));
  app.post(
    '/keyed',
    { bodyLimit: 64 * MiB, config: { rawBody: true, scopes: ['messages:send'], sheds: 100 } },
    async () => ({}),
  );
  app.post('/wait', { bodyLimit: 64 * MiB, config: { rawBody: true } }, async () => {
    waiting++;
    await gate;
    waiting--;
    return {};
  });
  app.post('/json', async (request) => ({ body: request.body ?? null }));
  app.get('/probe', { config: { probe: true } }, async () => ({}));
  app.get('/fault', async () => {
    throw new Error('broken');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  lines.length = 0;
  const { port } = app.server.address() as AddressInfo;
  const edge: Edge = {
    app,
    port,
    lines,
    goOn: () => goOn(),
    waiting: () => waiting,
    async metric(name) {
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.text())![1]);
    },
    async open(from = '127.0.0.1') {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from });
      let received = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => {});
      const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
      await once(socket, 'connect');
      return { socket, write: (text) => void socket.write(text), closed, received: () => received };
    },
  };
  edges.push(edge);
  return edge;
}

const head = (path: string, ...fields: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

async function isEmpty(edge: Edge): Promise<void> {
  await eventually(async () => (await edge.metric('acuse_http_held_bytes')) === 0);
  expect(await edge.metric('acuse_http_requests_under_way')).toBe(0);
}

describe('uploads that are given up', () => {
  /** Bytes that each writes before it breaks off; `/wait`: once its body is whole and a handler has it. */
  const MANNERS: readonly (readonly [string, string | Buffer])[] = [
    ['before the body', head('/open', `Content-Length: ${64 * MiB}`)],
    ['in the body', head('/open', 'Content-Length: 5000') + 'x'.repeat(4_000)],
    [
      'in the body of an account',
      head('/keyed', 'Authorization: a', 'Content-Length: 5000') + 'x'.repeat(400),
    ],
    ['in a chunk', `${head('/open', 'Transfer-Encoding: chunked')}1000\r\n${'x'.repeat(100)}`],
    ['between chunks', `${head('/open', 'Transfer-Encoding: chunked')}4\r\nabcd\r\n`],
    ['with a wrong chunk', `${head('/open', 'Transfer-Encoding: chunked')}4\r\nabcd\r\nZZ\r\n`],
    ['while a handler has it', `${head('/wait', 'Content-Length: 5')}hello`],
    ['with others behind it', `${head('/wait', 'Content-Length: 5')}hello`.repeat(3)],
    [
      'with half of another behind it',
      `${head('/wait', 'Content-Length: 1')}x${head('/open', 'Content-Length: 9')}x`,
    ],
    ['having said Expect', head('/open', 'Content-Length: 5000', 'Expect: 100-continue')],
    ['longer than announced', `${head('/open', 'Content-Length: 2')}xxGARBAGE\r\n\r\n`],
    ['shorter than announced', `${head('/open', 'Content-Length: 20')}xx`],
    ['encoded', `${head('/open', 'Content-Encoding: gzip', 'Content-Length: 5000')}\x1f\x8b`],
    ['announced twice', `${head('/open', 'Content-Length: 2', 'Content-Length: 9')}xx`],
    ['announced both ways', `${head('/open', 'Content-Length: 2', 'Transfer-Encoding: chunked')}xx`],
    ['refused for its key', `${head('/keyed', 'Content-Length: 5000')}xx`],
    ['in the headers', 'POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 5'],
  ];
  const UPLOADS = 1_000;
  const AT_ONCE = 50;

  test('leave nothing behind, a thousand of them in every manner', async () => {
    const edge = await openEdge();
    for (let made = 0; made < UPLOADS; made += AT_ONCE) {
      const batch = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, at) => {
          const client = await edge.open();
          client.write(MANNERS[(made + at) % MANNERS.length]![1]);
          return client;
        }),
      );
      // Some at once, some by a reset, the others once what they wrote has surely come.
      await new Promise((resolve) => setTimeout(resolve, made % 200 === 0 ? 0 : 20));
      for (const [at, { socket }] of batch.entries()) {
        if (at % 3 === 0) socket.resetAndDestroy();
        else if (at % 3 === 1) socket.end();
        else socket.destroy();
      }
      await Promise.all(batch.map(({ socket }, at) => (at % 3 === 1 ? void socket.destroySoon() : null)));
    }
    for (const { server } of [edge.app]) server.closeIdleConnections();
    edge.goOn();
    await eventually(async () => (await edge.metric('acuse_http_connections')) === 0);
    await isEmpty(edge);
    // And the edge serves as before.
    const answer = await fetch(`http://127.0.0.1:${edge.port}/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(MiB),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { bytes: MiB }]);
    await isEmpty(edge);
  });

  test('what a handler has is held until that is done, whoever has gone away', async () => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(`${head('/wait', `Content-Length: ${MiB}`)}${'x'.repeat(MiB)}`);
    await eventually(() => edge.waiting() === 1);
    client.socket.destroy();
    await eventually(async () => (await edge.metric('acuse_http_connections')) === 0);
    expect(await edge.metric('acuse_http_held_bytes')).toBeGreaterThan(MiB);
    edge.goOn();
    await isEmpty(edge);
  });

  test('leave nothing behind when they go while their key is looked up', async () => {
    let lookedUp = () => {};
    const found = new Promise<void>((resolve) => {
      lookedUp = resolve;
    });
    let asked = 0;
    const edge = await openEdge({
      authenticate: async () => {
        asked++;
        await found;
      },
    });
    const clients = await Promise.all([edge.open(), edge.open()]);
    clients[0]!.write(`${head('/open', 'Content-Length: 5000')}xx`);
    clients[1]!.write(`${head('/open', 'Content-Length: 2')}xx`);
    await eventually(() => asked === 2);
    for (const { socket } of clients) socket.resetAndDestroy();
    await eventually(async () => (await edge.metric('acuse_http_connections')) === 0);
    lookedUp();
    await new Promise((resolve) => setImmediate(resolve));
    await isEmpty(edge);
  });

  test('are told of as that, and never as a fault of ours', async () => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(`${head('/open', 'Content-Length: 5000')}xx`);
    await eventually(async () => (await edge.metric('acuse_http_requests_under_way')) === 1);
    client.socket.resetAndDestroy();
    await eventually(() => edge.lines.length > 0);
    await isEmpty(edge);
    expect(edge.lines).toEqual([
      expect.objectContaining({ level: 30, status: 499, method: 'POST', url: '/open', wholeRequest: false }),
    ]);
  });
});

describe('what is announced', () => {
  test.each([
    ['not at all', ''],
    ['in part', 'x'.repeat(MiB)],
  ])('and has come %s is no work, so that no send of its account is too much', async (_, begun) => {
    const edge = await openEdge({ waitedMs: () => 0 });
    const slow = await Promise.all(Array.from({ length: 3 }, () => edge.open()));
    for (const client of slow)
      client.write(`${head('/keyed', 'Authorization: a', `Content-Length: ${64 * MiB}`)}${begun}`);
    await eventually(
      async () => (await edge.metric('acuse_http_held_bytes')) >= slow.length * (16 * 1024 + begun.length),
    );
    const answer = await fetch(`http://127.0.0.1:${edge.port}/keyed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'a' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await isEmpty(edge);
  });

  test('holds nothing, so that bodies which never come shut nobody out', async () => {
    const edge = await openEdge();
    const silent = await Promise.all(Array.from({ length: 20 }, () => edge.open()));
    for (const client of silent)
      client.write(head('/keyed', 'Authorization: a', `Content-Length: ${64 * MiB}`));
    await eventually(async () => (await edge.metric('acuse_http_requests_under_way')) === 20);
    expect(await edge.metric('acuse_http_held_bytes')).toBeLessThan(MiB);
    for (const tenant of ['a', 'b']) {
      const answer = await fetch(`http://127.0.0.1:${edge.port}/keyed`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: tenant },
        body: 'x'.repeat(4 * MiB),
      });
      expect(answer.status).toBe(200);
    }
    for (const { socket } of silent) socket.destroy();
    await isEmpty(edge);
  });
});

describe('a share of the whole', () => {
  test('bounds what one client address holds, without a key; refused bodies are let go', async () => {
    const edge = await openEdge();
    const size = 40 * MiB;
    const clients = await Promise.all(Array.from({ length: 3 }, () => edge.open()));
    const body = Buffer.alloc(size, 'x');
    for (const client of clients) {
      client.write(head('/wait', `Content-Length: ${size}`));
      client.write(body);
      await eventually(
        async () =>
          edge.waiting() === clients.indexOf(client) + 1 || /^HTTP\/1.1 503/.test(client.received()),
      );
    }
    expect(edge.waiting()).toBe(2);
    expect(await edge.metric('acuse_http_held_bytes')).toBeLessThan(HELD_SHARE_MAX_BYTES);
    expect(clients[2]!.received()).toMatch(/^HTTP\/1\.1 503 /);
    expect(clients[2]!.received()).toMatch(/\r\nretry-after: [1-9]/i);
    expect(clients[2]!.received()).toContain('nothing was accepted');
    for (const { socket } of clients) socket.destroy();
    edge.goOn();
    await isEmpty(edge);
  });

  test('holds back what asks whether the process lives in no case', async () => {
    const edge = await openEdge();
    const size = HELD_SHARE_MAX_BYTES / 2 - 16 * 1024;
    const clients = await Promise.all(Array.from({ length: 2 }, () => edge.open()));
    for (const [at, client] of clients.entries()) {
      client.write(head('/wait', `Content-Length: ${size}`));
      client.write(Buffer.alloc(size, 'x'));
      await eventually(() => edge.waiting() === at + 1);
    }
    const url = `http://127.0.0.1:${edge.port}`;
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/json`, { method: 'POST', headers, body: '{}' })).status).toBe(503);
    expect((await fetch(`${url}/probe`)).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    edge.goOn();
    await isEmpty(edge);
  });

  test('bounds bodies of unknown length as they come', async () => {
    const edge = await openEdge();
    const clients = await Promise.all(Array.from({ length: 2 }, () => edge.open()));
    const chunk = Buffer.concat([
      Buffer.from('1000000\r\n'),
      Buffer.alloc(16 * MiB, 'x'),
      Buffer.from('\r\n'),
    ]);
    for (const client of clients) {
      client.write(head('/open', 'Transfer-Encoding: chunked'));
      for (let chunks = 0; chunks < 4; chunks++) client.write(chunk);
    }
    const refused = () => clients.filter((client) => client.received() !== '');
    await eventually(() => refused().length > 0);
    expect(refused()).toHaveLength(1);
    expect(refused()[0]!.received()).toMatch(/^HTTP\/1\.1 503 /);
    for (const { socket } of clients) socket.destroy();
    await isEmpty(edge);
  });
});

describe('a body in chunks', () => {
  const chunked = async (edge: Edge, chunk: string, chunks: number) => {
    const client = await edge.open();
    client.write(head('/open', 'Transfer-Encoding: chunked'));
    client.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(chunks));
    client.write('0\r\n\r\n');
    return client;
  };

  test('of a byte each is refused, and its connection closed, once there are too many', async () => {
    const edge = await openEdge();
    const client = await chunked(edge, 'x', 20_000);
    const answer = await client.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('too many small chunks');
    await isEmpty(edge);
  });

  test.each([
    ['few of a byte', 'x', 1_000],
    ['many of a line', 'x'.repeat(80), 20_000],
  ])('is taken whole: %s', async (_, chunk, chunks) => {
    const edge = await openEdge();
    const client = await chunked(edge, chunk, chunks);
    await eventually(() => client.received() !== '');
    expect(client.received()).toContain(`{"bytes":${chunk.length * chunks}}`);
    client.socket.destroy();
  });
});

test('a client that is refused while it writes reads the answer once it has written, on a connection that lives on', async () => {
  const edge = await openEdge();
  const first = await edge.open();
  first.write(head('/wait', `Content-Length: ${60 * MiB}`));
  first.write(Buffer.alloc(60 * MiB, 'x'));
  await eventually(() => edge.waiting() === 1);
  const second = await edge.open();
  second.write(head('/open', 'Transfer-Encoding: chunked'));
  const chunk = Buffer.concat([Buffer.from('1000000\r\n'), Buffer.alloc(16 * MiB, 'x'), Buffer.from('\r\n')]);
  for (let chunks = 0; chunks < 4; chunks++) {
    second.write(chunk);
    await eventually(() => second.socket.writableLength === 0);
  }
  second.write('0\r\n\r\n');
  second.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const answers = await second.closed;
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 404']);
  expect(await edge.metric('acuse_http_held_bytes')).toBeLessThan(61 * MiB);
});

describe('a body that comes too slowly', () => {
  const bodyPace = { graceMs: 300, bytesPerSecond: 1_000, windowMs: 200, totalMs: 60_000, sweepMs: 50 };

  test.each([
    ['not at all', 0],
    ['in drops', 1],
  ])('%s is answered 408, and the connection closed', async (_, bytes) => {
    const edge = await openEdge({ bodyPace });
    const client = await edge.open();
    client.write(head('/open', 'Content-Length: 100000'));
    const drops = setInterval(() => client.write('x'.repeat(bytes)), 50);
    const answer = await client.closed;
    clearInterval(drops);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain('"request_timeout"');
    await isEmpty(edge);
  });

  test('a slow one that goes on is read to its end', async () => {
    const edge = await openEdge({ bodyPace });
    const client = await edge.open();
    client.write(head('/open', 'Content-Length: 80000', 'Connection: close'));
    // Forty times as fast as it must be: on a busy machine some of the pauses are longer.
    for (let sent = 0; sent < 80_000; sent += 2_000) {
      client.write('x'.repeat(2_000));
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(await client.closed).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('has so long in all', async () => {
    const edge = await openEdge({ bodyPace: { ...BODY_PACE, totalMs: 300, sweepMs: 50 } });
    const client = await edge.open();
    client.write(head('/open', 'Content-Length: 20000'));
    expect(await client.closed).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('a request that a proxy passed on is told of once, where no proxy is trusted', async () => {
  const GET = 'GET /nowhere HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n';
  const said = async (options: Partial<HttpOptions>) => {
    const edge = await openEdge(options);
    for (let n = 0; n < 3; n++) {
      const client = await edge.open();
      client.write(GET);
      await client.closed;
    }
    return edge.lines.filter(({ msg }) => String(msg).includes('set ACUSE_TRUST_PROXY=127.0.0.1'));
  };
  expect(await said({})).toHaveLength(1);
  expect(await said({ trustProxy: ['loopback'] })).toHaveLength(0);
});

describe('every answer', () => {
  test.each([
    ['200', `${head('/json', 'Content-Length: 2', 'Connection: close')}{}`],
    ['400', `${head('/json', 'Content-Length: 1', 'Connection: close')}{`],
    ['401', head('/keyed', 'Content-Length: 0', 'Connection: close')],
    ['404', 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['405', 'DELETE /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['413', head('/json', `Content-Length: ${2 * MiB}`)],
    ['415', `${head('/json', 'Content-Encoding: gzip', 'Content-Length: 2', 'Connection: close')}{}`],
    ['500', 'GET /fault HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['400 of what is not HTTP', 'NONSENSE\r\n\r\n'],
    ['400 of headers too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['400 of a path too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['404 of a bad path', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('is not to be stored, and is what it says: %s', async (status, request) => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(request);
    const answer = await client.closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status.slice(0, 3)} `));
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/i);
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
    expect(answer).toMatch(/\r\nrequest-id: [0-9a-f-]{36}\r\n/i);
  });
});

describe('one reading of a request', () => {
  test.each(['Authorization', 'Content-Type', 'Idempotency-Key', 'Host'])(
    '%s twice is refused',
    async (name) => {
      const edge = await openEdge();
      const client = await edge.open();
      client.write(
        `POST /json HTTP/1.1\r\n${name === 'Host' ? 'Host: x\r\n' : `Host: x\r\n${name}: a\r\n`}${name.toLowerCase()}: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      const answer = await client.closed;
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"invalid_parameter"');
    },
  );

  test.each([
    ['two lengths', `${head('/json', 'Content-Length: 2', 'Content-Length: 3')}{} `],
    [
      'a length and chunks',
      `${head('/json', 'Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'chunks by another name',
      `${head('/json', 'Transfer-Encoding: chunked, identity')}2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'chunks, with white space before the colon',
      'POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'POST /json HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
    ['a length with a sign', `${head('/json', 'Content-Length: +2')}{}`],
    ['no host', 'GET /nowhere HTTP/1.1\r\n\r\n'],
    ['lines that end in LF', 'GET /nowhere HTTP/1.1\nHost: x\n\n'],
  ])('%s: refused, and the connection closed', async (_, request) => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(request);
    const answer = await client.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('a header behind thousands of others counts like the first', async () => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(
      `POST /json HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(2_500)}Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expect(await client.closed).toMatch(/^HTTP\/1\.1 415 /);
  });

  test('what is not HTTP behind a request under way gets no answer that could be taken for that one', async () => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(`${head('/wait', 'Content-Length: 1')}x`);
    await eventually(() => edge.waiting() === 1);
    client.write('NONSENSE\r\n\r\n');
    expect(await client.closed).toBe('');
    edge.goOn();
    await isEmpty(edge);
  });

  test.each(['TRACE', 'CONNECT', 'PROPFIND', 'PUT'])('%s reaches no route', async (method) => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write(
      `${method} /json HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: POST\r\nConnection: close\r\n\r\n`,
    );
    expect(await client.closed).not.toMatch(/^HTTP\/1\.1 2/);
  });

  test('OPTIONS says what the path takes, and does nothing of it', async () => {
    const edge = await openEdge();
    const client = await edge.open();
    client.write('OPTIONS /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answer = await client.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer).toMatch(/\r\nallow: OPTIONS, POST\r\n/i);
    await isEmpty(edge);
  });
});

describe('requests that nobody waits to have answered', () => {
  test('a connection that was reset before it was taken up begins nothing', async () => {
    const edge = await openEdge();
    let begun = 0;
    edge.app.server.prependListener('request', () => begun++);
    const isReset = new Int32Array(new SharedArrayBuffer(4));
    const accepted = once(edge.app.server, 'connection');
    const client = new Worker(
      `const { workerData: { port, isReset } } = require('node:worker_threads');
      const socket = require('node:net').connect(port, '127.0.0.1');
      socket.write('GET /probe HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => socket.resetAndDestroy());
      socket.once('close', () => Atomics.notify(isReset, Atomics.store(isReset, 0, 1) - 1));`,
      { eval: true, workerData: { port: edge.port, isReset } },
    );
    // Nothing is taken up while this thread stands still.
    Atomics.wait(isReset, 0, 0);
    await Promise.all([accepted, once(client, 'exit')]);
    const { write, closed } = await edge.open();
    write('GET /probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
    expect(begun).toBe(1);
    expect(edge.lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    await isEmpty(edge);
  });

  const ASKED = 1_500;
  const asked = 'GET /fault HTTP/1.1\r\nHost: x\r\n\r\n';

  test('a connection that writes thousands is closed, and the rest of what it wrote is not begun', async () => {
    const edge = await openEdge();
    let begun = 0;
    edge.app.server.prependListener('request', () => begun++);
    const { write, closed } = await edge.open();
    write(`${head('/wait', 'Content-Length: 2')}{}${asked.repeat(ASKED)}`);
    expect(await closed).toBe('');
    expect(begun).toBe(UNANSWERED_MAX + 1);
    edge.goOn();
    await isEmpty(edge);
    expect(edge.lines.filter(({ level }) => Number(level) >= 40).length).toBeLessThanOrEqual(UNANSWERED_MAX);
  });

  test('so is one that expects what nobody offers, which is else answered like any', async () => {
    const edge = await openEdge();
    const expecting = `GET /probe HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n`;
    const one = await edge.open();
    one.write(expecting);
    await eventually(() => one.received().startsWith('HTTP/1.1 200 '));
    one.socket.destroy();
    const { write, closed } = await edge.open();
    write(`${head('/wait', 'Content-Length: 2')}{}${expecting.repeat(ASKED)}`);
    expect(await closed).toBe('');
    edge.goOn();
    await isEmpty(edge);
  });

  test('a few at once are answered in order, and so is one after another without end', async () => {
    const edge = await openEdge();
    const { socket, write, received } = await edge.open();
    const answers = () => received().match(/HTTP\/1\.1 200/g)?.length ?? 0;
    const probe = 'GET /probe HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let turn = 1; turn <= 4; turn++) {
      write(probe.repeat(UNANSWERED_MAX));
      await eventually(async () => answers() === turn * UNANSWERED_MAX);
    }
    socket.destroy();
  });
});

describe('connections', () => {
  const GET = (path: string, ...fields: string[]) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
  const KEYED = head('/keyed', 'Authorization: a', 'Content-Length: 0');
  const MAX = 40;

  /** The outcome of a request on a connection that stays open. */
  async function ask(client: Raw, request: string): Promise<string> {
    const before = client.received().length;
    client.write(request);
    await eventually(() => client.received().length > before || client.socket.destroyed);
    return client.received().slice(before, before + 12);
  }

  test.each([
    ['four addresses', (n: number) => `127.1.${n % 4}.1`],
    ['all of a /24', (n: number) => `127.1.0.${n % 250}`],
    ['many networks', (n: number) => `127.${n >> 8}.${n & 255}.1`],
  ])(
    'of silent clients of %s keep out nobody who comes, health included, nor close those that were good',
    async (_, addressOf) => {
      const edge = await openEdge({ connections: { max: MAX } });
      const good = await edge.open('127.200.1.1');
      expect(await ask(good, KEYED)).toBe('HTTP/1.1 200');
      const silent = [];
      for (let n = 0; n < 5 * MAX; n++) silent.push(await edge.open(addressOf(n + 300)));
      await eventually(async () => (await edge.metric('acuse_http_connections')) === MAX);
      for (const path of ['/probe', '/json']) {
        const other = await edge.open('127.201.1.1');
        expect(await ask(other, path === '/probe' ? GET(path) : `${head(path, 'Content-Length: 2')}{}`)).toBe(
          'HTTP/1.1 200',
        );
        other.socket.destroy();
      }
      expect(await ask(good, KEYED)).toBe('HTTP/1.1 200');
      // From where a key was good, another is let in as known.
      const again = await edge.open('127.200.1.1');
      for (let n = 0; n < 2 * MAX; n++) silent.push(await edge.open(addressOf(n + 600)));
      expect(await ask(again, KEYED)).toBe('HTTP/1.1 200');
      for (const { socket } of silent) socket.destroy();
    },
  );

  test('of a trusted proxy are known, and of one that has too many the oldest without a request is closed', async () => {
    const edge = await openEdge({ connections: { max: 4 }, trustProxy: ['127.0.0.1'] });
    const busy = await edge.open();
    busy.write(head('/wait', 'Content-Length: 0'));
    await eventually(() => edge.waiting() === 1);
    const idle = await edge.open();
    for (let n = 0; n < 3; n++) await edge.open();
    await idle.closed;
    edge.goOn();
    await eventually(() => busy.received().startsWith('HTTP/1.1 200'));
  });

  test('have time-outs of their own for headers, bodies and standing still', async () => {
    const { server } = (await openEdge()).app;
    expect(server.headersTimeout).toBe(20_000);
    expect(server.requestTimeout).toBe(120_000);
    expect(server.timeout).toBe(180_000);
    expect(server.keepAliveTimeout).toBe(72_000);
  });
});
