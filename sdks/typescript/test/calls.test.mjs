// Calls: what no vector has; exchanges and sdks/conformance have what is tried again, thrown and on the wire.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as acuse from '@acuse/client';
import { json, MESSAGE, scripted } from './support/scripted.mjs';

const DRAFT = { from: 'a@example.com', to: 'b@example.net', text: 'Hello.' };

/** Runs a test with a scripted server that is closed whatever happens. */
function against(answer, run, options) {
  return async () => {
    const server = await scripted(answer, options);
    try {
      await run(server);
    } finally {
      server.close();
    }
  };
}

describe('what is seen from outside', () => {
  for (const [name, options] of Object.entries({
    'no key': { apiKey: '' },
    'a key with a space': { apiKey: 'acuse_a b' },
    'a key with a line end': { apiKey: 'acuse_a\n' },
    'credentials in baseUrl': { baseUrl: 'https://a:b@example.com' },
    'a query in baseUrl': { baseUrl: 'https://example.com/?' },
    'http to another machine': { baseUrl: 'http://example.com' },
    'a wrong number': { timeoutMs: 0 },
    'no such caFile': { caFile: '/nonexistent.pem' },
    'a proxy with another scheme': { proxy: 'socks5://127.0.0.1' },
  }))
    it(`${name} is refused before any request`, () => {
      assert.throws(
        () => new acuse.Acuse({ apiKey: 'acuse_test_canary', ...options }),
        acuse.ConfigurationError,
      );
    });

  it('http to another machine works when it is asked for', () => {
    new acuse.Acuse({ apiKey: 'k', baseUrl: 'http://example.com', allowInsecure: true });
  });

  it(
    'an id cannot name another path',
    against(
      () => assert.fail('a request'),
      async ({ client }) => {
        for (const id of ['', '..', '.', undefined])
          await assert.rejects(client.messages.get(id), acuse.ConfigurationError);
      },
    ),
  );

  it(
    'connections are kept, and never more than 100 at once',
    against(
      (_, socket) => setImmediate(() => json(socket, 200, MESSAGE)),
      async ({ client, sockets }) => {
        await Promise.all(Array.from({ length: 400 }, () => client.messages.get('1')));
        assert.ok(sockets.size <= 100, String(sockets.size));
        const before = sockets.size;
        await client.messages.get('1');
        assert.equal(sockets.size, before);
      },
    ),
  );
});

describe('over a given fetch', () => {
  it(
    'everything is the same',
    against(
      ({ at }, socket) => (at === 1 ? socket.destroy() : json(socket, 201, MESSAGE)),
      async ({ client, requests }) => {
        const sent = await client.messages.send(DRAFT, 'k');
        assert.equal(sent.attempts, 2);
        assert.equal(requests.length, 2);
      },
      { fetch: globalThis.fetch },
    ),
  );
});
