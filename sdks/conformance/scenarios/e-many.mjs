import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const BATCH = '/messages/batch';
const BUNDLE_BYTES = 60 * 1024 * 1024;
/** More memory than before, while a bundle of 60 MiB is saved. */
const MEMORY_MAX = 16 * 1024 * 1024;
const REQUEST_MAX = 64 * 1024 * 1024;

const items = (t, count) =>
  Array.from({ length: count }, (_, at) => ({
    ...t.message({ subject: `Invoice ${at}` }),
    idempotency_key: `${t.name}-${at}`,
  }));
const REFUSED = {
  answer: {
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error: { code: 'unauthorized', message: 'No.' } }),
  },
};
const statuses = ({ result }) => result.results.map(({ status }) => status);
const bundle = (bytes) => ({
  answer: { status: 200, headers: { 'content-type': 'application/zip' }, body: bytes },
});

/** Batches, lists, files and waiting. */
export const many = [
  {
    number: 43,
    title: 'Created, replayed and failed in one batch, in order',
    async run(t) {
      const before = await t.ok('send', { message: t.message(), idempotency_key: `${t.name}-1` });
      const [first, , third] = items(t, 3);
      const replayed = { ...t.message(), idempotency_key: `${t.name}-1` };
      const failed = { ...third, to: 'suppressed@sandbox.test' };
      const answer = await t.ok('send_batch', { items: [first, replayed, failed] }, t.patient());
      assert.deepEqual(statuses(answer), ['created', 'replayed', 'failed']);
      const { results } = answer.result;
      assert.equal(results[1].message.id, before.result.message.id);
      assert.ok(results[2].error.code, 'code');
      assert.deepEqual(
        results.map(({ idempotency_key }) => idempotency_key),
        [0, 1, 2].map((at) => `${t.name}-${at}`),
      );
      await t.mails(2);
    },
  },
  {
    number: 44,
    title: '250 items: 3 requests, 250 results',
    async run(t) {
      const proxy = await t.proxy();
      const answer = await t.ok('send_batch', { items: items(t, 250) }, t.patient(proxy.url));
      assert.deepEqual(statuses(answer), Array(250).fill('created'));
      assert.equal(proxy.to(BATCH).length, 3);
      const mails = await t.mails(250);
      const ids = new Map(mails.map(({ message_id, subject }) => [message_id, subject]));
      for (const [at, { message }] of answer.result.results.entries())
        assert.equal(ids.get(message.id), `Invoice ${at}`);
    },
  },
  {
    number: 45,
    title: 'Items without keys, the answer lost: no double',
    async run(t) {
      let lost = 0;
      const proxy = await t.proxy(({ target }) =>
        target.endsWith(BATCH) && lost++ === 0 ? { drop: 'after' } : undefined,
      );
      const keyless = items(t, 20).map(({ idempotency_key, ...message }) => message);
      const answer = await t.ok('send_batch', { items: keyless }, t.patient(proxy.url));
      assert.deepEqual(statuses(answer), Array(20).fill('replayed'));
      assert.equal(new Set(answer.result.results.map((each) => each.idempotency_key)).size, 20);
      await t.mails(20);
    },
  },
  {
    number: 46,
    title: 'One request of three lost for good: its 100 items are unknown',
    async run(t) {
      const lost = ({ body }) => (body.includes(`${t.name}-150"`) ? { drop: 'after' } : undefined);
      const proxy = await t.proxy(() => ({ late: lost }));
      const answer = await t.ok('send_batch', { items: items(t, 250) }, t.options(proxy.url));
      const expected = Array.from({ length: 250 }, (_, at) =>
        at >= 100 && at < 200 ? 'unknown' : 'created',
      );
      assert.deepEqual(statuses(answer), expected);
      await t.mails(250);
    },
  },
  {
    number: 47,
    alone: true,
    title: 'Items of 3 MiB: requests under 64 MiB',
    async run(t) {
      const proxy = await t.proxy();
      const content = randomBytes(2_300_000).toString('base64');
      const large = items(t, 22).map((item) => ({
        ...item,
        attachments: [{ filename: 'a.bin', content, content_type: 'application/octet-stream' }],
      }));
      const answer = await t.ok('send_batch', { items: large }, t.patient(proxy.url));
      const [{ error }] = answer.result.results;
      assert.equal(error, null, JSON.stringify(error));
      // A busy machine may take so long that a request is sent again: its items, no others, may be replayed.
      const sent = (at) => proxy.to(BATCH).filter(({ body }) => body?.includes(`"${t.name}-${at}"`));
      for (const [at, status] of statuses(answer).entries())
        assert.ok(status === 'created' || (status === 'replayed' && sent(at).length > 1), `${at}: ${status}`);
      assert.equal((await t.server.messages(t.to)).length, 22, 'messages accepted');
      assert.ok(proxy.to(BATCH).length >= 2);
      for (const { length } of proxy.to(BATCH)) assert.ok(length < REQUEST_MAX, `${length} bytes`);
    },
  },
  {
    number: 48,
    needs: 'iteration',
    title: '45 items, 20 a page: 45 items by 3 requests',
    async run(t) {
      const args = { message: t.message(), count: 45, threads: 5, keys: t.name };
      const sent = await t.ok('send_many', args, t.patient());
      for (const { error } of sent.result.results) assert.equal(error, undefined, JSON.stringify(error));
      const proxy = await t.proxy();
      const list = { operation: 'messages.list', params: { to: t.to, limit: 20 } };
      const { result } = await t.ok('list', list, t.options(proxy.url));
      assert.equal(new Set(result.items.map(({ id }) => id)).size, 45);
      assert.equal(result.more, false);
      assert.equal(proxy.seen.requests.length, 3);
      const { result: paged } = await t.ok('pages', list, t.options(proxy.url));
      assert.deepEqual(
        paged.pages.map(({ length }) => length),
        [20, 20, 5],
      );
    },
  },
  {
    number: 49,
    needs: 'iteration',
    title: 'Stopping after 5 items: one request',
    async run(t) {
      const args = { message: t.message(), count: 25, threads: 5, keys: t.name };
      await t.ok('send_many', args, t.patient());
      const proxy = await t.proxy();
      const list = { operation: 'messages.list', params: { to: t.to, limit: 20 }, take: 5 };
      const { result } = await t.ok('list', list, t.options(proxy.url));
      assert.equal(result.items.length, 5);
      assert.equal(proxy.seen.requests.length, 1);
    },
  },
  {
    number: 50,
    needs: 'iteration',
    title: 'A cursor that comes back: not what the contract says',
    async run(t) {
      await t.ok('send', { message: t.message() });
      const change = (answer) => {
        const page = { ...JSON.parse(answer.body), next_cursor: 'again' };
        return { ...answer, body: Buffer.from(JSON.stringify(page)) };
      };
      const first = JSON.stringify({ data: [], next_cursor: 'again' });
      const proxy = await t.proxy(({ n }) =>
        n === 1 ? { change } : { answer: { ...jsonAnswer, body: first } },
      );
      const list = { operation: 'messages.list', params: { to: t.to } };
      await t.fails('list', list, t.options(proxy.url), { class: 'ProtocolError' });
      assert.ok(proxy.seen.requests.length <= 3, 'requests');
    },
  },
  {
    number: 51,
    alone: true,
    title: 'A bundle of 60 MiB: under 16 MiB more memory',
    async run(t) {
      const bytes = randomBytes(BUNDLE_BYTES);
      const proxy = await t.proxy(() => bundle(bytes));
      const path = t.path('bundle.zip');
      const args = { message_id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', path };
      const { result } = await t.ok('download_bundle', args, t.options(proxy.url));
      assert.equal(result.bytes, BUNDLE_BYTES);
      assert.ok(readFileSync(path).equals(bytes), 'the bytes');
      const { peak_bytes: peak = null } = result;
      if (peak !== null) assert.ok(peak < MEMORY_MAX, `${peak} bytes more memory`);
    },
  },
  {
    number: 52,
    title: 'A bundle that is cut: no file',
    async run(t) {
      const bytes = randomBytes(1_000_000);
      const proxy = await t.proxy(() => ({ ...bundle(bytes), cut: 500_000 }));
      const path = t.path('cut.zip');
      const args = { message_id: '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', path };
      await t.fails('download_bundle', args, t.options(proxy.url), { class: 'ConnectionError' });
      assert.ok(!existsSync(path), 'a file');
      const left = readdirSync(dirname(path)).filter((name) => name.includes(basename(path)));
      assert.deepEqual(left, []);
    },
  },
  {
    number: 53,
    title: 'Waiting until sealed; a plain message is given up at once',
    async run(t) {
      const { result } = await t.ok('send', { message: t.message({ certified: true }) }, t.patient());
      const wait = { message_id: result.message.id, within_ms: 40_000 };
      const sealed = await t.ok('wait_until_sealed', wait, t.patient());
      assert.ok(sealed.result.evidence?.sealed_at ?? sealed.result.sealed_at, 'sealed_at');
      const plain = await t.ok('send', { message: t.message() }, t.patient());
      const proxy = await t.proxy();
      const args = { message_id: plain.result.message.id, within_ms: 40_000 };
      const refused = { class: 'RefusedError', code: 'not_certified' };
      const { error } = await t.fails('wait_until_sealed', args, t.options(proxy.url), refused);
      assert.match(error.fix, /certified/, 'fix');
      assert.ok(error.message.includes('A plain message is never sealed.'), error.message);
      assert.ok(proxy.seen.requests.length <= 2, 'requests');
      const unsealed = { ...sealed.result, sealed_at: null };
      const still = await t.proxy(() => ({ answer: { ...jsonAnswer, body: JSON.stringify(unsealed) } }));
      const briefly = { ...wait, within_ms: 900 };
      await t.fails('wait_until_sealed', briefly, t.options(still.url), { class: 'TimeoutError' });
      assert.equal(still.seen.requests.length, 1, 'requests within 900 ms');
    },
  },
];

/** A batch never ends in an error, and each request is one that the service takes. */
export const refusedBatch = {
  number: 72,
  title: 'Refused as a whole: an outcome for each item, with at most 1000 recipients a request',
  async run(t) {
    const proxy = await t.proxy(() => ({ late: () => REFUSED }));
    const bcc = Array.from({ length: 49 }, (_, at) => `${at}@example.com`);
    const many = items(t, 45).map((item) => ({ ...item, bcc }));
    many[3].idempotency_key = 'é';
    const { result } = await t.ok('send_batch', { items: many }, t.options(proxy.url));
    for (const [at, { status, error }] of result.results.entries()) {
      assert.equal(status, 'failed', `${at}`);
      assert.equal(error.class, at === 3 ? 'ConfigurationError' : 'AuthenticationError', `${at}`);
    }
    const sizes = proxy.to(BATCH).map(({ body }) => JSON.parse(body).messages.length);
    assert.deepEqual(sizes, [20, 20, 4]);
  },
};

const jsonAnswer = { status: 200, headers: { 'content-type': 'application/json' } };
