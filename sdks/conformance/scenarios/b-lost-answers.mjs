import assert from 'node:assert/strict';
import { startProxy } from '../proxy/proxy.mjs';
import { attempts, has } from '../run/scenario.mjs';

/** After which an attempt is given up (ms): longer than a busy machine takes to answer the next one. */
const SILENT_MS = 10_000;
/** How long a port stays closed (ms): below what all retries wait. */
const CLOSED_MS = [600, 2_000, 8_000];
/** The nth request to a path meets a fault, the others pass. */
const once = (path, action, n = 1) => {
  let count = 0;
  return ({ target }) => (target.endsWith(path) && ++count === n ? action : undefined);
};

/** A send that meets a fault once, and gets through. */
async function survives(t, action, options = {}) {
  const proxy = await t.proxy(once('/messages', action));
  const answer = await t.ok('send', { message: t.message() }, t.options(proxy.url, options));
  await t.mails(1);
  const keys = proxy.to('/messages').map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual(new Set(keys), new Set([answer.result.idempotency_key]), 'the key of each attempt');
  const bodies = new Set(proxy.to('/messages').map(({ body }) => String(body)));
  assert.equal(bodies.size, 1, 'the body of each attempt');
  return { proxy, answer };
}

/** Something that must not be made twice, over a connection that is dropped on its first request. */
async function madeOnce(t, { operation, undo, path, body, find }) {
  const script = once(path, { drop: 'after' });
  for (const isReused of [false, true]) {
    const proxy = await t.proxy(script);
    proxy.script = isReused ? once(path, { drop: 'after' }) : script;
    const options = t.options(proxy.url, { client: `${t.name}${isReused}` });
    if (isReused) await t.ok('call', { operation: 'account.get', params: {} }, options);
    const name = `${t.name}-${isReused}`;
    const answer = await t.fails('call', { operation, params: {}, body: body(name) }, options, {
      class: 'ConnectionError',
      outcome_unknown: true,
    });
    attempts(answer, 1);
    assert.equal(proxy.to(path).length, 1, 'requests');
    const made = (await t.server.all(path)).filter((each) => find(each, name));
    assert.equal(made.length, 1, 'things made');
    // Accounts may have so many, and each endpoint gets what the other scenarios send.
    await t.ok('call', { operation: undo, params: { id: made[0].id } });
  }
}

/** Answers that never arrive, or arrive cut off. */
export const lost = [
  {
    number: 11,
    title: 'Dropped after the commit on a new connection: one mail, replayed, 2 attempts',
    async run(t) {
      const { answer } = await survives(t, { drop: 'after' });
      has(answer.result, { replayed: true, attempts: 2 });
      attempts(answer, 2);
      assert.equal(answer.sleeps.length, 1);
    },
  },
  {
    number: 12,
    title: 'Dropped after the commit on a reused connection: one mail',
    async run(t) {
      const proxy = await t.proxy();
      const options = t.options(proxy.url);
      await t.ok('call', { operation: 'account.get', params: {} }, options);
      proxy.script = once('/messages', { drop: 'after' });
      const { result } = await t.ok('send', { message: t.message() }, options);
      assert.equal(result.replayed, true);
      assert.ok(proxy.to('/messages').length <= result.attempts + 1, 'requests');
      await t.mails(1);
    },
  },
  {
    number: 13,
    title: 'Refused connections: tried again until one is made',
    async run(t) {
      const taken = await t.proxy();
      const { port } = taken;
      taken.close();
      const options = t.options(`http://127.0.0.1:${port}`, { sleep: 'real', max_retries: 6 });
      // On a busy machine the first attempt may come when the port is open again: then it opens later.
      let sent = 0;
      for (const closedMs of CLOSED_MS) {
        const pending = t.shim.ask('send', { message: t.message() }, options);
        await new Promise((resolve) => setTimeout(resolve, closedMs));
        const proxy = await startProxy({ server: t.server.url, port });
        try {
          const answer = await pending;
          sent++;
          assert.equal(answer.error, undefined, JSON.stringify(answer.error));
          attempts(answer, answer.result.attempts);
          assert.equal(answer.result.replayed, false);
          assert.equal(proxy.seen.requests.length, 1);
          if (answer.result.attempts >= 2) break;
          assert.notEqual(closedMs, CLOSED_MS.at(-1), 'attempts');
        } finally {
          proxy.close();
        }
      }
      const closed = t.options(`http://127.0.0.1:${port}`, { max_retries: 2 });
      const refused = await t.fails('send', { message: t.message() }, closed, {
        class: 'ConnectionError',
        phase: 'connect',
        outcome_unknown: false,
        attempts: 3,
      });
      attempts(refused, 3);
      await t.mails(sent);
    },
  },
  {
    number: 14,
    title: 'Reset during the upload: one mail',
    async run(t) {
      const proxy = await t.proxy(once('/messages', { reset: 100_000 }));
      const message = t.message({ text: 'Hello. '.repeat(100_000) });
      const { result } = await t.ok('send', { message }, t.options(proxy.url));
      has(result, { replayed: false, attempts: 2 });
      await t.mails(1);
    },
  },
  {
    number: 15,
    title: 'Cut after 20 bytes of the answer: tried again, one mail',
    async run(t) {
      const { answer } = await survives(t, { cut: 20 });
      has(answer.result, { replayed: true, attempts: 2 });
    },
  },
  {
    number: 16,
    title: 'A chunked answer that is cut: tried again, one mail',
    async run(t) {
      const { answer } = await survives(t, { cutChunk: 20 });
      has(answer.result, { replayed: true, attempts: 2 });
    },
  },
  {
    number: 17,
    title: 'Silence: a timeout, then a replay',
    async run(t) {
      const { answer, proxy } = await survives(t, { silence: true }, { timeout_ms: SILENT_MS });
      // A library with one thread may be kept from reading an answer for so long that it asks once more.
      const count = proxy.to('/messages').length;
      assert.ok(count >= 2, 'requests');
      has(answer.result, { replayed: true, attempts: count });
      attempts(answer, count);
      for (const { error } of answer.attempts.slice(0, -1)) assert.equal(error, 'TimeoutError');
    },
  },
  {
    number: 18,
    title: 'An answer byte by byte',
    async run(t) {
      const { answer } = await survives(t, { slow: true });
      has(answer.result, { replayed: false, attempts: 1 });
    },
  },
  {
    number: 19,
    title: 'Always dropped: the error has the key, with which a later call replays',
    async run(t) {
      const proxy = await t.proxy(({ target }) =>
        target.endsWith('/messages') ? { drop: 'after' } : undefined,
      );
      const answer = await t.fails('send', { message: t.message() }, t.options(proxy.url), {
        class: 'ConnectionError',
        outcome_unknown: true,
        attempts: 4,
      });
      attempts(answer, 4);
      assert.match(answer.error.idempotency_key, /^auto_/);
      proxy.script = () => undefined;
      const args = { message: t.message(), idempotency_key: answer.error.idempotency_key };
      const { result } = await t.ok('send', args, t.options(proxy.url));
      assert.equal(result.replayed, true);
      await t.mails(1);
    },
  },
  {
    number: 20,
    title: 'Making a key, answer dropped: one key, one attempt',
    run: (t) =>
      madeOnce(t, {
        operation: 'apiKeys.create',
        undo: 'apiKeys.revoke',
        path: '/v1/api-keys',
        body: (name) => ({ name, scopes: ['messages:send'] }),
        find: (each, name) => each.name === name,
      }),
  },
  {
    number: 21,
    title: 'Making a webhook, answer dropped: one webhook, one attempt',
    run: (t) =>
      madeOnce(t, {
        operation: 'webhooks.create',
        undo: 'webhooks.delete',
        path: '/v1/webhooks',
        body: (name) => ({ url: `http://127.0.0.1:9/${name}`, events: ['email.sent'] }),
        find: (each, name) => each.url.endsWith(name),
      }),
  },
  {
    number: 22,
    title: 'Deleting, answer dropped: success',
    async run(t) {
      const made = await t.ok('call', {
        operation: 'apiKeys.create',
        params: {},
        body: { name: t.name, scopes: ['messages:send'] },
      });
      const id = made.result.id;
      const proxy = await t.proxy(once(`/api-keys/${id}`, { drop: 'after' }));
      const remove = { operation: 'apiKeys.revoke', params: { id } };
      const answer = await t.ok('call', remove, t.options(proxy.url));
      assert.equal(answer.result, null);
      const options = t.options();
      const template = { name: t.name, subject: 'S', text: 'T' };
      const draft = await t.ok('call', { operation: 'templates.create', params: {}, body: template });
      const gone = { operation: 'templates.delete', params: { id: draft.result.id } };
      proxy.script = once(`/templates/${draft.result.id}`, { drop: 'after' });
      await t.ok('call', gone, t.options(proxy.url));
      // Without a lost attempt before it a 404 is one.
      await t.fails('call', gone, options, { class: 'NotFoundError', status: 404 });
    },
  },
];
