// Messages that a person approves in the portal, against a real service.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { draft, ERAS, eventually, inProcess, live, mails } from './support.mjs';

const { ACUSE_URL: url, ACUSE_API_KEY: key, ACUSE_TEST_SIGN_IN: signIn } = process.env;
const HOUR_MS = 3_600_000;

let agent;
let cookie;
before(async () => {
  if (live.skip) return;
  const made = await fetch(`${url}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'agent', scopes: ['messages:send', 'evidence:read'], needs_approval: true },
    }),
  });
  agent = (await made.json()).key;
  const link = new URL(signIn).hash.slice(1);
  const signedIn = await inPortal('POST', '/session', { link });
  cookie = signedIn.headers.get('set-cookie').split(';', 1)[0];
});

function inPortal(method, path, body) {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
  if (cookie === undefined) delete headers.cookie;
  return fetch(`${url}/v1/portal${path}`, { method, headers, body: body && JSON.stringify(body) });
}

/** What a person does on the page at this address. */
async function decide(address, act) {
  const path = new URL(address).pathname.replace('/portal', '');
  const { content } = await (await inPortal('GET', path)).json();
  const answer = await inPortal('POST', `${path}/${act}`, act === 'approve' ? { shown: content.shown } : {});
  assert.equal(answer.status, 200);
}

const open = (era, options) =>
  inProcess({
    ...{ era, apiKey: agent, ...options },
    variables: { ACUSE_MCP_RECIPIENTS: '*', ACUSE_MCP_PER_HOUR: '1000' },
  });

/** Previewed: the arguments of send_message. */
async function previewed({ call }) {
  const message = draft({ subject: randomUUID() });
  const { output } = await call('preview_message', message);
  assert.deepEqual(output.refusals, []);
  return { ...message, preview_token: output.preview_token };
}

const addressIn = ({ error }) => /https?:\/\/\S+/.exec(error.next)[0];

for (const era of ERAS)
  describe(`a message that a person approves in the portal, ${era}`, live, () => {
    it('is sent once a client that opens the page comes back', async () => {
      const opened = [];
      const client = await open(era, {
        async answer(address) {
          opened.push(address);
          await decide(address, 'approve');
          return { action: 'accept' };
        },
      });
      const args = await previewed(client);
      const { output } = await client.call('send_message', args);
      assert.ok(output.message.subject.untrusted_text.includes(args.subject));
      assert.match(opened[0], /\/portal\/approvals\/[0-9a-f-]{36}$/);
      assert.equal(opened.length, 1);
      await eventually(async () => (await mails(args.subject)).length === 1);
      await client.close();
    });

    it('is not sent for a client that says yes and opens nothing', async () => {
      for (const action of ['accept', 'decline', 'cancel']) {
        const client = await open(era, { answer: () => ({ action }) });
        const { error } = await client.call('send_message', await previewed(client));
        assert.equal(error.code, 'approval_required');
        assert.equal(client.asked.length, 1);
        await client.close();
      }
    });

    it('is told to other clients with the address, and sent a day later', async () => {
      for (const answer of [undefined, 'accept']) {
        let late = 0;
        const client = await open(era, { answer, clock: () => Date.now() + late });
        const args = await previewed(client);
        const asks = await client.call('send_message', args);
        assert.equal(asks.error.code, 'approval_required');
        await decide(addressIn(asks), 'approve');
        late = 24 * HOUR_MS;
        const { output } = await client.call('send_message', args);
        assert.ok(output.message.subject.untrusted_text.includes(args.subject));
        late = 25 * HOUR_MS;
        assert.equal((await client.call('send_message', args)).error.code, 'preview_expired');
        assert.equal(client.asked.length, 0);
        await client.close();
      }
    });

    it('is not sent once it is refused', async () => {
      const client = await open(era);
      const args = await previewed(client);
      await decide(addressIn(await client.call('send_message', args)), 'refuse');
      assert.equal((await client.call('send_message', args)).error.code, 'approval_refused');
      assert.equal((await mails(args.subject)).length, 0);
      await client.close();
    });
  });
