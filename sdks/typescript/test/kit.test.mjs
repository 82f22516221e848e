// The test kit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RefusedError, verifyWebhook } from '@acuse/client';
import { FakeAcuse, sandbox, signWebhook } from '@acuse/client/testing';
import { client, draft, eventually, live } from './support/live.mjs';
import { json, scripted } from './support/scripted.mjs';

const DRAFT = { from: 'a@example.com', to: 'b@example.net', text: 'Hello.' };

describe('FakeAcuse', () => {
  it('knows keys, replays and other messages under the same key', async () => {
    const acuse = new FakeAcuse();
    const first = await acuse.messages.send(DRAFT, 'k');
    const again = await acuse.messages.send(DRAFT, 'k');
    assert.deepEqual([first.replayed, again.replayed, acuse.sent.length], [false, true, 1]);
    await assert.rejects(acuse.messages.send({ ...DRAFT, text: 'Other.' }, 'k'), {
      code: 'idempotency_key_reused',
    });
    const outcomes = await acuse.messages.sendBatch([
      { text: DRAFT.text, ...DRAFT, idempotency_key: 'k' },
      DRAFT,
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['replayed', 'created'],
    );
    assert.equal((await acuse.messages.get(first.message.id)).id, first.message.id);
    assert.equal((await acuse.messages.list().toArray(9)).length, 2);
  });

  it('refuses what a test says, as often as it says', async () => {
    const acuse = new FakeAcuse();
    acuse.refuse({ code: 'recipient_suppressed' });
    await assert.rejects(acuse.messages.send(DRAFT), RefusedError);
    acuse.refuse({ code: 'unavailable', times: 2 });
    assert.equal((await acuse.messages.send(DRAFT)).attempts, 3);
  });
});

describe('signWebhook', () => {
  for (const secret of ['', 'c2VjcmV0', 'whsec_', 'whsec_x', 'whsec_a b='])
    it(`refuses the secret ${JSON.stringify(secret)} with the form of one`, () =>
      assert.rejects(signWebhook({ type: 'x.y', data: {} }, secret), { message: /whsec_ and base64/ }));

  for (const [event, what] of [
    [{ type: 'x.y' }, 'data'],
    [{ type: 'x.y', data: null }, 'data'],
    [{ data: {} }, 'type'],
  ])
    it(`says that ${JSON.stringify(event)} has no ${what}`, () =>
      assert.rejects(signWebhook(event, 'whsec_c2VjcmV0'), {
        name: 'TypeError',
        message: new RegExp(`^The event has no ${what}: give`),
      }));

  it('makes what verifyWebhook takes', async () => {
    const secret = `whsec_${btoa('a secret of a test')}`;
    const { body, headers } = await signWebhook({ type: 'email.sent', data: { message_id: '1' } }, secret);
    const event = await verifyWebhook(body, headers, secret);
    assert.deepEqual([event.type, event.data.message_id, event.replay_protected], ['email.sent', '1', true]);
    assert.match(event.event_id, /^[0-9a-f-]{36}$/);
    const at = new Date('2026-11-20T09:30:00.500Z');
    const created = JSON.parse((await signWebhook({ type: 'x.y', data: {} }, secret, at)).body).created_at;
    assert.equal(created, at.toISOString());
    const own = await signWebhook({ type: 'x.y', data: { event_id: 'e1' } }, secret);
    assert.equal((await verifyWebhook(own.body, own.headers, secret)).event_id, 'e1');
    const { 'Service-Signature': signature } = headers;
    await verifyWebhook(body, { 'service-signature': signature }, secret, { acceptUnstamped: true });
    await assert.rejects(verifyWebhook(body, { 'service-signature': signature }, secret), {
      reason: 'unstamped',
    });
  });
});

describe('the mailbox', () => {
  it('is where a client would look for it', async () => {
    const mail = { id: 'm1', rcpt_to: 'delivered@sandbox.test' };
    const server = await scripted((_, socket) => json(socket, 200, { data: [mail] }));
    const { ACUSE_URL, ACUSE_BASE_URL, ACUSE_API_KEY } = process.env;
    const set = (url, key) => {
      for (const [name, value] of Object.entries({ ACUSE_URL: url, ACUSE_API_KEY: key }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    };
    try {
      delete process.env.ACUSE_BASE_URL;
      set(server.baseUrl, 'acuse_of_environment');
      assert.deepEqual(await sandbox.mailbox().list(), [mail]);
      set(undefined, undefined);
      await sandbox.mailbox({ baseUrl: `${server.baseUrl}/`, apiKey: 'acuse_given' }).list(1);
      const seen = server.requests.map(({ line, head }) => [line, /Bearer (\S+)/i.exec(head)[1]]);
      assert.deepEqual(seen, [
        ['GET /sandbox/mailbox?limit=100 HTTP/1.1', 'acuse_of_environment'],
        ['GET /sandbox/mailbox?limit=1 HTTP/1.1', 'acuse_given'],
      ]);
      assert.throws(() => sandbox.mailbox({ apiKey: 'acuse_given' }), /baseUrl or set ACUSE_URL/);
      assert.throws(() => sandbox.mailbox({ baseUrl: server.baseUrl }), /apiKey or set ACUSE_API_KEY/);
    } finally {
      set(ACUSE_URL, ACUSE_API_KEY);
      if (ACUSE_BASE_URL !== undefined) process.env.ACUSE_BASE_URL = ACUSE_BASE_URL;
      server.close();
    }
  });
});

describe('sandbox', live, () => {
  it('the mailbox has what was sent', async () => {
    const to = sandbox.address('delivered', 'kit');
    assert.equal(to, 'delivered+kit@sandbox.test');
    const { message } = await client().messages.send(draft({ to }));
    // Of ACUSE_URL and ACUSE_API_KEY.
    const mailbox = sandbox.mailbox();
    const mail = await eventually(async () =>
      (await mailbox.list()).find((each) => each.message_id === message.id),
    );
    assert.match((await mailbox.get(mail.id)).text, /Hello/);
  });
});
