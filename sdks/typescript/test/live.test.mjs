// The client against the real service in sandbox mode.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Attachment, RefusedError, verifyWebhook } from '@acuse/client';
import { client, draft, eventually, live, mails } from './support/live.mjs';

describe('messages', live, () => {
  const acuse = live.skip ? undefined : client();

  it('a send and its replay are one mail', async () => {
    const subject = randomUUID();
    const first = await acuse.messages.send(draft({ subject }), subject);
    const again = await acuse.messages.send(draft({ subject }), subject);
    assert.deepEqual([first.replayed, again.replayed], [false, true]);
    assert.equal(again.message.id, first.message.id);
    await eventually(async () => (await acuse.messages.get(first.message.id)).status === 'sent');
    assert.equal((await mails(subject)).length, 1);
  });

  it('a key for another message is refused with what to do', async () => {
    const key = randomUUID();
    await acuse.messages.send(draft(), key);
    const error = await acuse.messages.send(draft({ subject: 'Other' }), key).catch((each) => each);
    assert.ok(error instanceof RefusedError);
    assert.equal(error.code, 'idempotency_key_reused');
    assert.match(error.fix, /new key/);
  });

  it('a composed message is sent as it is, and replays', async () => {
    const raw = `From: billing@sandbox.test\r\nTo: delivered@sandbox.test\r\nSubject: ${randomUUID()}\r\n\r\nHola ñ\r\n`;
    const key = randomUUID();
    const first = await acuse.messages.sendRaw(raw, key);
    assert.equal((await acuse.messages.sendRaw(raw, key)).replayed, true);
    await eventually(async () => (await acuse.messages.get(first.message.id)).status === 'sent');
    assert.equal((await acuse.messages.resend(first.message.id)).replayed, false);
    assert.match(new TextDecoder().decode(await acuse.messages.getRaw(first.message.id)), /Hola/);
  });

  it('an attachment arrives byte for byte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
    const path = join(folder, 'nómina.PDF');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 31) & 255));
    await writeFile(path, bytes);
    const attachment = await Attachment.fromFile(path);
    await rm(folder, { recursive: true });
    assert.equal(attachment.content_type, 'application/pdf');
    const { message } = await acuse.messages.send(draft({ attachments: [attachment] }));
    const { parts } = await acuse.messages.getParts(message.id);
    const part = parts.find(({ filename }) => filename === 'nómina.PDF');
    assert.deepEqual(Buffer.from(await acuse.messages.getPart(message.id, String(part.index))), bytes);
  });

  it('lists page by page, as far as the caller reads', async () => {
    const tag = `t${randomUUID().slice(0, 8)}`;
    await acuse.messages.sendBatch(Array.from({ length: 45 }, () => draft({ tags: [tag] })));
    const sizes = [];
    for await (const page of acuse.messages.list({ tag, limit: 20 }).pages()) sizes.push(page.data.length);
    assert.deepEqual(sizes, [20, 20, 5]);
    const ids = new Set();
    for await (const message of acuse.messages.list({ tag, limit: 20 })) ids.add(message.id);
    assert.equal(ids.size, 45);
    assert.equal((await acuse.messages.list({ tag }).toArray(7)).length, 7);
  });

  it('a batch of any size answers every item in order', async () => {
    const key = randomUUID();
    await acuse.messages.send(draft(), key);
    const items = Array.from({ length: 130 }, (_, at) =>
      at === 7
        ? draft({ from: 'x@unverified.example' })
        : at === 120
          ? { ...draft(), idempotency_key: key }
          : draft(),
    );
    const outcomes = await acuse.messages.sendBatch(items);
    assert.deepEqual(
      outcomes.map(({ index }) => index),
      items.map((_, at) => at),
    );
    assert.equal(outcomes[7].status, 'failed');
    assert.equal(outcomes[7].error.code, 'domain_not_verified');
    assert.equal(outcomes[120].status, 'replayed');
    assert.equal(outcomes.filter(({ status }) => status === 'created').length, 128);
    assert.deepEqual(await acuse.messages.sendBatch([]), []);
  });
});

describe('evidence', live, () => {
  const acuse = live.skip ? undefined : client();

  it('is waited for, and its bundle stored whole', async () => {
    const { message } = await acuse.messages.send(draft({ certified: true }));
    assert.equal((await acuse.evidence.waitUntilSealed(message.id)).id, message.id);
    assert.match((await acuse.evidence.get(message.id)).merkle_root, /^[0-9a-f]{64}$/);
    const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
    await acuse.evidence.downloadBundle(message.id, join(folder, 'proof.zip'));
    assert.deepEqual(await readdir(folder), ['proof.zip']);
    assert.deepEqual(
      Buffer.from(await acuse.evidence.getBundle(message.id)).subarray(0, 4),
      (await readFile(join(folder, 'proof.zip'))).subarray(0, 4),
    );
    await rm(folder, { recursive: true });
    assert.equal((await acuse.evidence.verify({ message_id: message.id })).valid, true);
  });

  it('of a plain message is refused at once', async () => {
    const { message } = await acuse.messages.send(draft({ certified: false }));
    await assert.rejects(acuse.evidence.waitUntilSealed(message.id), RefusedError);
  });
});

describe('webhooks', live, () => {
  const acuse = live.skip ? undefined : client();

  it('a delivery of the service verifies, also while its secret changes', async () => {
    const arrived = [];
    const server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      arrived.push({ body: Buffer.concat(chunks), headers: request.headers });
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${server.address().port}/`;
      // Pings alone: what other tests sent may be told before the secret changes, under the old one.
      const webhook = await acuse.webhooks.create({ url, events: ['email.complained'] });
      const rotated = await acuse.webhooks.rotateSecret(webhook.id);
      await acuse.webhooks.ping(webhook.id);
      const { body, headers } = await eventually(() => arrived[0]);
      for (const secret of [webhook.secret, rotated.secret, [rotated.secret, webhook.secret]]) {
        const event = await verifyWebhook(body, headers, secret);
        assert.equal(event.replay_protected, true);
        assert.equal(event.event_id, headers['webhook-id']);
      }
      const another = (await acuse.webhooks.rotateSecret(webhook.id)).secret;
      await assert.rejects(verifyWebhook(body, headers, another), { reason: 'no_match' });
      await acuse.webhooks.delete(webhook.id);
    } finally {
      // Else this process would not end where something above fails.
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('every resource', live, () => {
  const acuse = live.skip ? undefined : client();

  it('answers what the contract says', async () => {
    const key = await acuse.apiKeys.create({ name: randomUUID(), scopes: ['evidence:read'] });
    assert.ok((await acuse.apiKeys.list().toArray(100)).some(({ id }) => id === key.id));
    await acuse.apiKeys.revoke(key.id);
    const domain = await acuse.domains.create({ name: `${randomUUID().slice(0, 8)}.example` });
    assert.equal((await acuse.domains.get(domain.id)).name, domain.name);
    await acuse.domains.delete(domain.id);
    const template = await acuse.templates.create({
      name: randomUUID(),
      subject: 'Hi {{name}}',
      text: 'Hi {{name}}',
    });
    const rendered = await acuse.templates.render(template.id, { variables: { name: 'Ana' } });
    assert.equal(rendered.subject, 'Hi Ana');
    const suppressed = await acuse.suppressions.create({
      address: `${randomUUID()}@example.com`,
      reason: 'x',
    });
    await acuse.suppressions.delete(suppressed.id);
    assert.equal((await acuse.rates.get({ days: 2 })).days, 2);
    assert.equal((await acuse.account.get()).sandbox, true);
    assert.equal((await acuse.health.live()).status, 'ok');
    for await (const event of acuse.events.list({ limit: 5 })) {
      assert.match(event.type, /^email\./);
      break;
    }
    assert.match(await acuse.messages.exportCsv(), /^id,created_at/);
  });
});

describe('the log', live, () => {
  const acuse = live.skip ? undefined : client();

  it('is followed under a pinned key, and keeps its promises', async () => {
    const key = (await acuse.log.key()).trim();
    const { message } = await acuse.messages.send(draft({ certified: true }));
    await acuse.evidence.waitUntilSealed(message.id);
    const first = await acuse.log.checkpoint(key);
    assert.equal(await acuse.log.checkPromise(message, key), 'kept');
    const { message: next } = await acuse.messages.send(draft({ certified: true }));
    await acuse.evidence.waitUntilSealed(next.id);
    const second = await acuse.log.follow(first, key);
    assert.ok(second.tree_size > first.tree_size);
    await assert.rejects(acuse.log.follow({ ...first, note: first.note.replace('\n', 'x\n') }, key), {
      reason: 'bad_signature',
    });
    await assert.rejects(acuse.log.checkpoint('no key'), /not a verifier key/);
  });
});
