// Calls: what no vector has; exchanges and sdks/conformance have what is tried again, thrown and on the wire.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import * as acuse from '@acuse/client';
import { json, MESSAGE, scripted } from './support/scripted.mjs';

const WEBHOOK = {
  ...{ id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a12', url: 'https://example.com/hook', events: ['email.sent'] },
  ...{ description: null, enabled: true, disabled_reason: null, failing_since: null, disables_at: null },
  ...{ created_at: '2026-11-20T09:30:00.000Z', updated_at: '2026-11-20T09:30:00.000Z' },
  secret: 'whsec_bXkgc2VjcmV0IG9mIHdlYmhvb2tz',
};
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

describe('what is answered', () => {
  it(
    'a result of a send and its message say which answer they came in',
    against(
      (_, socket) => json(socket, 201, MESSAGE),
      async ({ client }) => {
        const sent = await client.messages.send(DRAFT, 'k');
        for (const result of [sent, sent.message]) assert.equal(acuse.answerOf(result).status, 201);
      },
    ),
  );

  it(
    'a new secret is there and is not printed',
    against(
      (_, socket) => json(socket, 201, WEBHOOK),
      async ({ client }) => {
        const made = await client.webhooks.create({ url: WEBHOOK.url, events: ['email.sent'] });
        assert.equal(JSON.parse(JSON.stringify(made)).secret, WEBHOOK.secret);
        assert.equal({ ...made }.secret, WEBHOOK.secret);
        assert.deepEqual(Reflect.ownKeys({ ...made }), Object.keys(WEBHOOK));
        for (const text of [inspect(made), inspect({ made }, { depth: 5 })]) {
          assert.ok(text.includes(`secret: 'whsec_***'`), text);
          assert.ok(text.includes(WEBHOOK.url), text);
        }
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
