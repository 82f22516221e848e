import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { attempts, has } from '../run/scenario.mjs';

const ATTACHMENT_BYTES = 5 * 1024 * 1024;

/** Sends and their idempotency keys. */
export const sends = [
  {
    number: 1,
    title: 'A send with a key: not replayed, one mail',
    async run(t) {
      const answer = await t.ok('send', { message: t.message(), idempotency_key: t.name });
      has(answer.result, { replayed: false, idempotency_key: t.name, attempts: 1 });
      assert.match(answer.result.message.id, /^[0-9a-f-]{36}$/);
      attempts(answer, 1);
      await t.mails(1);
    },
  },
  {
    number: 2,
    title: 'The same again: replayed, the same id, one mail',
    async run(t) {
      const args = { message: t.message(), idempotency_key: t.name };
      const first = await t.ok('send', args);
      const again = await t.ok('send', args);
      has(again.result, { replayed: true, idempotency_key: t.name, attempts: 1 });
      assert.equal(again.result.message.id, first.result.message.id);
      await t.mails(1);
    },
  },
  {
    number: 3,
    title: 'The key with another subject: refused',
    async run(t) {
      await t.ok('send', { message: t.message(), idempotency_key: t.name });
      const other = { message: t.message({ subject: 'Another' }), idempotency_key: t.name };
      const { error } = await t.fails('send', other, t.options(), {
        class: 'RefusedError',
        status: 422,
        code: 'idempotency_key_reused',
      });
      assert.ok(error.fix, 'fix');
      assert.ok(error.request_id, 'request_id');
      await t.mails(1);
    },
  },
  {
    number: 4,
    title: 'Without a key: one of the library’s own is returned',
    async run(t) {
      const proxy = await t.proxy();
      const { result } = await t.ok('send', { message: t.message() }, t.options(proxy.url));
      assert.match(
        result.idempotency_key,
        /^auto_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      assert.equal(proxy.to('/messages')[0].headers['idempotency-key'], result.idempotency_key);
      await t.mails(1);
    },
  },
  {
    number: 5,
    title: 'Two at once with one key: one id, one replayed',
    async run(t) {
      const args = { message: t.message(), idempotency_key: t.name };
      const both = await Promise.all([t.ok('send', args), t.ok('send', args)]);
      assert.equal(new Set(both.map(({ result }) => result.message.id)).size, 1);
      assert.deepEqual(both.map(({ result }) => result.replayed).sort(), [false, true]);
      await t.mails(1);
    },
  },
  {
    number: 6,
    title: 'A key of 255 characters',
    async run(t) {
      const key = `${t.name}${'~ !'.repeat(90)}`.slice(0, 255).replace(/ $/, 'z');
      const { result } = await t.ok('send', { message: t.message(), idempotency_key: key });
      assert.equal(result.idempotency_key, key);
      await t.mails(1);
    },
  },
  {
    number: 7,
    title: 'A key with a line break or é: refused before any request',
    async run(t) {
      const proxy = await t.proxy();
      for (const key of ['a\r\nX-Injected: 1', 'é', '', 'x'.repeat(256)]) {
        const args = { message: t.message(), idempotency_key: key };
        // An empty key asks some libraries for one of their own.
        if (key === '') continue;
        await t.fails('send', args, t.options(proxy.url), { class: 'ConfigurationError' });
      }
      assert.equal(proxy.seen.requests.length, 0);
      await t.mails(0);
    },
  },
  {
    number: 8,
    title: 'What is not set is not sent, and null never',
    async run(t) {
      const proxy = await t.proxy();
      for (const certified of [undefined, false, true])
        await t.ok('send', { message: t.message({ certified }) }, t.options(proxy.url));
      // One of each call: a server that is busy may have had it repeated.
      const calls = new Map(
        proxy.to('/messages').map(({ headers, body }) => [headers['idempotency-key'], JSON.parse(body)]),
      );
      const bodies = [...calls.values()];
      assert.deepEqual(
        bodies.map((body) => body.certified),
        [undefined, false, true],
      );
      const { certified, ...plain } = t.message();
      assert.deepEqual(bodies[0], plain);
      for (const { body } of proxy.to('/messages')) assert.ok(!/\bnull\b/.test(body));
      await t.mails(3);
    },
  },
  {
    number: 9,
    title: 'An attachment of 5 MiB from a file, an emoji in the subject',
    async run(t) {
      const path = t.path('invoice.pdf');
      const bytes = randomBytes(ATTACHMENT_BYTES);
      writeFileSync(path, bytes);
      const subject = `Invoice 🧾 ${t.name}`;
      const { result } = await t.ok('send_file', { message: t.message({ subject }), path });
      const [mail] = await t.mails(1);
      assert.equal(mail.subject, subject);
      const { attachments } = await (await t.server.get(`/sandbox/mailbox/${mail.id}`)).json();
      assert.deepEqual(
        attachments.map(({ content_type, size_bytes }) => [content_type, size_bytes]),
        [['application/pdf', ATTACHMENT_BYTES]],
      );
      assert.ok(attachments[0].filename.endsWith('invoice.pdf'));
      assert.equal(result.message.id, mail.message_id);
      const raw = await (await t.server.get(`/sandbox/mailbox/${mail.id}/raw`)).text();
      const wanted = bytes.subarray(0, 3_000).toString('base64');
      assert.ok(raw.replaceAll('\r\n', '').includes(wanted), 'the bytes of the attachment');
    },
  },
  {
    number: 10,
    title: 'A composed message: replayed too',
    async run(t) {
      const content = Buffer.from(
        `From: billing@sandbox.test\r\nTo: ${t.to}\r\nSubject: Composed ${t.name}\r\n\r\nHello.\r\n`,
      ).toString('base64');
      const args = { content, idempotency_key: t.name };
      const first = await t.ok('send_raw', args);
      const again = await t.ok('send_raw', args);
      has(first.result, { replayed: false, idempotency_key: t.name });
      has(again.result, { replayed: true });
      assert.equal(first.result.message.id, again.result.message.id);
      const [mail] = await t.mails(1);
      assert.equal(mail.subject, `Composed ${t.name}`);
    },
  },
];
