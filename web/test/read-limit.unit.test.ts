import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, createApi } from '../shared/api/client.ts';

/** A server whose database hangs: it takes requests, and says nothing, or stops within an answer. */
const server = createServer((request, response) => {
  if (request.url!.endsWith('/half')) response.write('{"data":');
  if (request.method === 'POST') setTimeout(() => response.end('{}'), 300);
});
let api: ApiClient;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  api = createApi({
    prefix: `http://127.0.0.1:${port}/v1/portal`,
    account: () => null,
    challenge: async () => false,
    onCall() {},
    readLimitMs: 100,
  });
});
afterAll(() => server.close() && server.closeAllConnections());

test.each(['/silent', '/half'])('a read of %s ends, and says that there was no answer', async (path) => {
  await expect(api.call('GET', path)).rejects.toMatchObject({ status: 0, code: 'no_answer' });
});

test('what is sent is not cut off, and a page that goes away is no failure', async () => {
  expect(await api.call('POST', '/messages', { body: {} })).toEqual({});
  const away = AbortSignal.abort(new Error('away'));
  await expect(api.call('GET', '/silent', { signal: away })).rejects.toThrow('away');
});
