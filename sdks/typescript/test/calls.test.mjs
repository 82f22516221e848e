// Calls against a server that fails in every way: what is tried again, what is thrown, what is on the wire.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import * as acuse from '@acuse/client';
import { json, MESSAGE, refusal, scripted } from './support/scripted.mjs';

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

describe('a send', () => {
  it(
    'goes out once, with what the caller set and no more',
    against(
      (_, socket) => json(socket, 201, MESSAGE),
      async ({ client, requests }) => {
        const sent = await client.messages.send({ ...DRAFT, html: undefined }, 'invoice-1');
        assert.equal(sent.replayed, false);
        assert.equal(sent.idempotencyKey, 'invoice-1');
        assert.equal(sent.attempts, 1);
        assert.deepEqual(JSON.parse(requests[0].body), DRAFT);
        assert.match(requests[0].head, /\r\nIdempotency-Key: invoice-1\r\n/);
        assert.match(requests[0].head, /\r\nAcuse-Attempt: 1\r\n/);
        const agent = /\r\nUser-Agent: acuse-typescript\/([\d.]+) \(node\/[\d.]+; \w+\)\r\n/.exec(
          requests[0].head,
        );
        assert.equal(agent?.[1], acuse.VERSION);
        assert.doesNotMatch(requests[0].head, /Accept-Encoding/i);
      },
    ),
  );

  it(
    'keeps its key and its bytes in every attempt',
    against(
      ({ at }, socket) =>
        at < 3 ? socket.destroy() : json(socket, 200, MESSAGE, { 'Idempotent-Replayed': 'true' }),
      async ({ client, requests, sleeps }) => {
        const sent = await client.messages.send(DRAFT);
        assert.match(sent.idempotencyKey, /^auto_[0-9a-f-]{36}$/);
        assert.equal(sent.replayed, true);
        assert.equal(sent.attempts, 3);
        assert.deepEqual(sleeps, [250, 500]);
        const keys = requests.map(({ head }) => /Idempotency-Key: (\S+)/.exec(head)[1]);
        assert.deepEqual(new Set(keys), new Set([sent.idempotencyKey]));
        assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
      },
    ),
  );

  it(
    'that is lost for good says so, with the key to try again with',
    against(
      (_, socket) => socket.destroy(),
      async ({ client }) => {
        const error = await client.messages.send(DRAFT).catch((each) => each);
        assert.ok(error instanceof acuse.ConnectionError);
        assert.equal(error.outcomeUnknown, true);
        assert.equal(error.attempts, 4);
        assert.match(error.idempotencyKey, /^auto_/);
      },
    ),
  );

  it(
    'is not made with a key that the API would refuse',
    against(
      () => assert.fail('a request'),
      async ({ client }) => {
        for (const key of ['', 'a\r\nb', 'é', 'x'.repeat(256)])
          await assert.rejects(client.messages.send(DRAFT, key), acuse.ConfigurationError);
      },
    ),
  );
});

describe('answers', () => {
  for (const [status, code, name] of [
    [400, 'invalid_body', 'InvalidRequestError'],
    [401, 'unauthorized', 'AuthenticationError'],
    [403, 'insufficient_scope', 'PermissionError'],
    [404, 'not_found', 'NotFoundError'],
    [405, 'method_not_allowed', 'InvalidRequestError'],
    [409, 'conflict', 'ConflictError'],
    [413, 'payload_too_large', 'InvalidRequestError'],
    [415, 'unsupported_media_type', 'InvalidRequestError'],
    [422, 'recipient_suppressed', 'RefusedError'],
    [429, 'quota_exceeded', 'QuotaExceededError'],
    [422, 'a_code_of_tomorrow', 'RefusedError'],
  ])
    it(
      `${status} ${code} is ${name}, at once`,
      against(
        (_, socket) => refusal(socket, status, code),
        async ({ client, requests }) => {
          const error = await client.messages.get('1').catch((each) => each);
          assert.equal(error.name, name);
          assert.ok(error instanceof acuse.ApiError);
          assert.equal(error.code, code);
          assert.equal(error.requestId, 'req-1');
          assert.equal(typeof error.fix, code === 'a_code_of_tomorrow' ? 'undefined' : 'string');
          assert.equal(requests.length, 1);
        },
      ),
    );

  for (const [name, body] of [
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['HTML', '<html>Welcome</html>'],
    ['an object that lacks its id', JSON.stringify({ ...MESSAGE, id: undefined })],
    ['a field of another type', JSON.stringify({ ...MESSAGE, size_bytes: '1' })],
  ])
    it(
      `200 with ${name} is a ProtocolError that does not show it`,
      against(
        (_, socket) => json(socket, 200, body),
        async ({ client, requests }) => {
          const error = await client.messages.get('1').catch((each) => each);
          assert.ok(error instanceof acuse.ProtocolError);
          assert.doesNotMatch(inspect(error), /Welcome|example\.com/);
          assert.equal(requests.length, 1);
        },
      ),
    );

  it(
    'keeps fields and values of a newer server',
    against(
      (_, socket) => json(socket, 200, { ...MESSAGE, status: 'teleported', colour: 'blue' }),
      async ({ client }) => {
        const message = await client.messages.get('1');
        assert.equal(message.status, 'teleported');
        assert.equal(message.colour, 'blue');
        assert.equal(acuse.answerOf(message).status, 200);
      },
    ),
  );

  it(
    'does not follow a redirect',
    against(
      (_, socket) => json(socket, 307, '', { Location: 'http://127.0.0.1:1/' }),
      async ({ client, requests }) => {
        await assert.rejects(client.messages.get('1'), acuse.ProtocolError);
        assert.equal(requests.length, 1);
      },
    ),
  );

  it(
    'takes a body that is shorter than it says for a lost answer',
    against(
      ({ at }, socket) => {
        if (at > 1) json(socket, 200, MESSAGE);
        else
          socket.end(
            'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"id":',
          );
      },
      async ({ client, requests }) => {
        await client.messages.get('1');
        assert.equal(requests.length, 2);
      },
    ),
  );

  it(
    'never shows the HTML of a proxy',
    against(
      (_, socket) => json(socket, 502, '<h1>Bad gateway of ana</h1>', { 'Content-Type': 'text/html' }),
      async ({ client, requests }) => {
        const error = await client.messages.get('1').catch((each) => each);
        assert.ok(error instanceof acuse.ServerError);
        assert.equal(requests.length, 4);
        assert.doesNotMatch(inspect(error), /ana/);
      },
    ),
  );

  it(
    'a DELETE that finds nothing after a lost answer has succeeded',
    against(
      ({ at }, socket) => (at === 1 ? socket.destroy() : refusal(socket, 404, 'not_found')),
      async ({ client }) => {
        await client.domains.delete('1');
        await assert.rejects(client.domains.delete('1'), acuse.NotFoundError);
      },
    ),
  );

  it(
    'a key is made once, whatever becomes of the answer',
    against(
      (_, socket) => socket.destroy(),
      async ({ client, requests }) => {
        const error = await client.apiKeys.create({ name: 'ci', scopes: [] }).catch((each) => each);
        assert.equal(error.outcomeUnknown, true);
        assert.equal(requests.length, 1);
      },
    ),
  );
});

describe('waiting', () => {
  it(
    'follows Retry-After up to a minute',
    against(
      ({ at }, socket) =>
        at === 1 ? refusal(socket, 429, 'rate_limited', { 'Retry-After': '7' }) : json(socket, 200, MESSAGE),
      async ({ client, sleeps }) => {
        await client.messages.get('1');
        assert.deepEqual(sleeps, [7_000]);
      },
    ),
  );

  it(
    'gives an hour back to the caller',
    against(
      (_, socket) => refusal(socket, 503, 'unavailable', { 'Retry-After': '3600' }),
      async ({ client, requests }) => {
        const error = await client.messages.get('1').catch((each) => each);
        assert.ok(error instanceof acuse.UnavailableError);
        assert.equal(error.retryAfter, 3600);
        assert.equal(requests.length, 1);
      },
    ),
  );

  it(
    'ends when no answer comes in time',
    against(
      () => {},
      async ({ client }) => {
        const error = await client.messages
          .send(DRAFT, 'k', { timeoutMs: 30, maxRetries: 1 })
          .catch((each) => each);
        assert.ok(error instanceof acuse.TimeoutError);
        assert.equal(error.outcomeUnknown, true);
        assert.equal(error.attempts, 2);
      },
    ),
  );

  it(
    'ends when the caller cancels, in the middle of a request and between two',
    against(
      ({ at }, socket) => {
        if (at > 1) socket.destroy();
      },
      async ({ client, requests }) => {
        const during = new AbortController();
        const call = client.messages.send(DRAFT, 'k', { signal: during.signal });
        setTimeout(() => during.abort(), 20);
        const error = await call.catch((each) => each);
        assert.ok(error instanceof acuse.CancelledError);
        assert.equal(error.name, 'AbortError');
        assert.equal(error.idempotencyKey, 'k');
        assert.equal(requests.length, 1);
        const between = new AbortController();
        const slow = client.messages.get('1', { signal: between.signal });
        setTimeout(() => between.abort(), 50);
        await assert.rejects(slow, acuse.CancelledError);
        assert.equal(requests.length, 2);
        await assert.rejects(client.messages.get('1', { signal: AbortSignal.abort() }), acuse.CancelledError);
      },
      { sleep: undefined },
    ),
  );

  it(
    'of 200 calls against a failing server at most 300 requests come',
    against(
      (_, socket) => refusal(socket, 500, 'internal_error'),
      async ({ client, requests }) => {
        await Promise.allSettled(Array.from({ length: 200 }, () => client.messages.get('1')));
        assert.ok(requests.length <= 300, String(requests.length));
      },
    ),
  );
});

describe('what is seen from outside', () => {
  it(
    'the hook sees every attempt, and what it throws changes nothing',
    against(
      ({ at }, socket) => (at === 1 ? refusal(socket, 500, 'internal_error') : json(socket, 200, MESSAGE)),
      async ({ client, baseUrl }) => {
        const seen = [];
        const watched = client.withOptions({
          onAttempt: (report) => {
            seen.push(report);
            throw new Error('of the hook');
          },
        });
        await watched.messages.get('1');
        assert.deepEqual(
          seen.map(({ durationMs: _, ...report }) => report),
          [
            {
              operation: 'messages.get',
              attempt: 1,
              status: 500,
              code: 'internal_error',
              requestId: 'req-1',
              retryInMs: 250,
              error: 'ServerError',
            },
            {
              operation: 'messages.get',
              attempt: 2,
              status: 200,
              code: null,
              requestId: null,
              retryInMs: null,
              error: null,
            },
          ],
        );
        assert.ok(baseUrl.startsWith('http://127.0.0.1'));
      },
    ),
  );

  it(
    'the key is shown by nothing that prints',
    against(
      (_, socket) => json(socket, 422, { error: { code: 'conflict', message: 'no acuse_test_canary' } }),
      async ({ client }) => {
        const error = await client.messages.send(DRAFT).catch((each) => each);
        for (const thing of [client, client.messages, error, client.withOptions({})])
          for (const text of [
            inspect(thing, { depth: 9, showHidden: true }),
            String(thing),
            JSON.stringify(thing) ?? '',
          ])
            assert.doesNotMatch(text, /canary/);
      },
    ),
  );

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
