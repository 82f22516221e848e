import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAsk, StoreUnreachable } from '../../src/platform/s3/signed-request.ts';

/** A store that stops answering, or does not stop. */

/** Longer than any test: what ends a read is that nothing comes. */
const WHOLE_MS = 3_600_000;
const STALL_MS = 200;
const MOST_BYTES = 1_000_000;

const ANSWERS: Record<string, (answer: ServerResponse) => void> = {
  '/bucket/silent': () => {},
  '/bucket/headers': (answer) => answer.writeHead(200, { 'content-length': 10 }).flushHeaders(),
  '/bucket/half': (answer) => answer.writeHead(200, { 'content-length': 10 }).write('half'),
  '/bucket/endless': (answer) => {
    const more = Buffer.alloc(65_536);
    const write = () => {
      while (!answer.destroyed && answer.write(more));
    };
    answer.on('drain', write);
    write();
  },
  '/bucket/whole': (answer) => answer.end('whole'),
};
const server = createServer((request, answer) => ANSWERS[request.url!]!(answer));

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function ask(key: string, stallMs = STALL_MS) {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: null };
  const place = { endpoint, region: 'us-east-1', pathStyle: true };
  const made = createAsk('s3://bucket', { ...settings, ...place }, WHOLE_MS, stallMs);
  return made(key, { method: 'GET' }, MOST_BYTES);
}

test.each(['silent', 'headers', 'half'])('a read of %s ends once nothing comes', async (key) => {
  await expect(ask(key)).rejects.toThrow(new StoreUnreachable('no whole answer in time'));
});

test('an answer without an end is read up to the most', async () => {
  await expect(ask('endless', WHOLE_MS)).rejects.toThrow(/more than 1000000 bytes/);
});

test('a whole answer is read', async () => {
  expect((await ask('whole', WHOLE_MS)).bytes.toString()).toBe('whole');
});
