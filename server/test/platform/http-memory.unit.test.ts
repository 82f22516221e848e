import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@acuse/testkit/eventually';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createMetrics } from '../../src/platform/metrics.ts';

/** Memory for bodies and answers, which clients that are slow on purpose would hold for ever. */

const MiB = 1024 * 1024;
const HELD_MAX_BYTES = 256 * MiB;
let app: App;
let port: number;
let heldBytes: () => Promise<number>;
const sockets: Socket[] = [];

beforeEach(async () => {
  const log = pino({ level: 'silent' });
  const metrics = createMetrics({ log, process: false });
  app = createHttpServer({
    ...{ log, metrics, trustProxy: null },
    async authenticate(request) {
      const tenantId = request.headers.authorization;
      if (tenantId === undefined) return;
      request.principal = { tenantId, actor: { kind: 'key', id: tenantId, name: 'test' }, scopes: [] };
    },
  });
  app.post('/body', { bodyLimit: 64 * MiB, config: { rawBody: true } }, async () => ({}));
  app.get('/large', async (_request, reply) =>
    reply.type('application/zip').send(Buffer.alloc(60 * MiB, 'x')),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
  heldBytes = async () => Number(/^acuse_http_held_bytes (\S+)$/m.exec(await metrics.text())![1]);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  app.server.closeAllConnections();
  await app.close();
});

async function open(localAddress: string): Promise<{ socket: Socket; head: () => string }> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  sockets.push(socket);
  let head = '';
  socket.on('error', () => {});
  socket.once('data', (chunk) => {
    head = chunk.toString('latin1');
  });
  await once(socket, 'connect');
  return { socket, head: () => head };
}

/** Reads the beginning of a large answer, and no more. */
async function readSlowly(from: string): Promise<Socket> {
  const { socket } = await open(from);
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return socket;
}

const ask = (mebibytes = 1) =>
  fetch(`http://127.0.0.1:${port}/body`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'somebody else' },
    body: 'x'.repeat(mebibytes * MiB),
  });

describe('memory that slow clients hold', () => {
  test.each([
    ['one address', () => '127.0.5.1'],
    ['as many addresses', (n: number) => `127.0.5.${n + 1}`],
    ['as many networks', (n: number) => `127.0.${n + 1}.1`],
  ])('answers that %s do not read: a bound for all, and nobody is kept out', async (_, addressOf) => {
    for (let n = 0; n < 8; n++) await readSlowly(addressOf(n));
    expect(await heldBytes()).toBeLessThanOrEqual(HELD_MAX_BYTES);
    expect((await ask()).status).toBe(200);
  });

  test.each(['close', 'keep-alive'])(
    'a client that says Connection: %s and is refused unread sends all of its body, and has its answer',
    async (connection) => {
      const size = 46 * MiB;
      const begin = async (headers: string) => {
        const opened = await open('127.0.0.1');
        opened.socket.write(
          `POST /body HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nContent-Type: application/json\r\n${headers}Content-Length: ${size}\r\n\r\n`,
        );
        return opened;
      };
      for (let n = 0; n < 2; n++) {
        const { socket } = await begin('');
        socket.write(Buffer.alloc(size - 1, 'x'));
      }
      await eventually(async () => (await heldBytes()) > 90 * MiB);
      const { socket, head } = await begin(`Connection: ${connection}\r\n`);
      await eventually(() => head().startsWith('HTTP/1.1 503 '));
      const sent = new Promise((resolve, reject) => {
        socket.on('error', reject).on('close', () => reject(new Error('closed')));
        socket.write(Buffer.alloc(size, 'x'), resolve);
      });
      expect(await sent).toBeFalsy();
    },
  );

  test('bodies that three accounts never finish keep nobody out, and are answered 503', async () => {
    const slow: (() => string)[] = [];
    for (let n = 0; n < 6; n++) {
      const { socket, head } = await open(`127.0.${n + 1}.1`);
      const size = 46 * MiB;
      socket.write(
        `POST /body HTTP/1.1\r\nHost: x\r\nAuthorization: ${n % 3}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(size - 1, 'x'));
      await eventually(() => socket.writableLength === 0);
      slow.push(head);
    }
    await eventually(async () => (await heldBytes()) > HELD_MAX_BYTES - 46 * MiB);
    for (let n = 0; n < 3; n++) expect((await ask(30)).status).toBe(200);
    await eventually(() => slow.some((head) => head().startsWith('HTTP/1.1 503 ')));
    expect(await heldBytes()).toBeLessThanOrEqual(HELD_MAX_BYTES);
  });
});
