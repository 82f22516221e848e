// The test kit and the command acuse-api.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RefusedError, verifyWebhook } from '@acuse/client';
import { FakeAcuse, sandbox, signWebhook } from '@acuse/client/testing';
import { client, draft, eventually, live } from './support/live.mjs';

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
    const outcomes = await acuse.messages.sendBatch([{ ...DRAFT, idempotency_key: 'k' }, DRAFT]);
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
  it('makes what verifyWebhook takes', async () => {
    const secret = `whsec_${btoa('a secret of a test')}`;
    const { body, headers } = await signWebhook({ type: 'email.sent', data: { message_id: '1' } }, secret);
    const event = await verifyWebhook(body, headers, secret);
    assert.deepEqual([event.type, event.data.message_id, event.replay_protected], ['email.sent', '1', true]);
    const { 'Service-Signature': signature } = headers;
    await verifyWebhook(body, { 'service-signature': signature }, secret, { acceptUnstamped: true });
    await assert.rejects(verifyWebhook(body, { 'service-signature': signature }, secret), {
      reason: 'unstamped',
    });
  });
});

describe('sandbox', live, () => {
  it('the mailbox has what was sent', async () => {
    const to = sandbox.address('delivered', 'kit');
    assert.equal(to, 'delivered+kit@sandbox.test');
    const { message } = await client().messages.send(draft({ to }));
    const mailbox = sandbox.mailbox({
      baseUrl: process.env.ACUSE_BASE_URL,
      apiKey: process.env.ACUSE_API_KEY,
    });
    const mail = await eventually(async () =>
      (await mailbox.list()).find((each) => each.message_id === message.id),
    );
    assert.match((await mailbox.get(mail.id)).text, /Hello/);
  });
});

/** Exit code, stdout and stderr of acuse-api. */
function api(args, env = {}) {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe('acuse-api', () => {
  it('lists every resource', async () => {
    const { code, stdout } = await api(['--help']);
    assert.equal(code, 0);
    assert.match(stdout, /messages: send, sendRaw/);
  });

  for (const [name, args, told] of [
    ['a resource', ['mesages', 'list'], /no resource mesages/],
    ['a method', ['messages', 'launch'], /no method launch; it has send/],
    ['an option', ['messages', 'list', '--colour', 'blue'], /no option --colour; it has --limit/],
    ['an argument too few', ['messages', 'get'], /takes <id>/],
    ['a body that is not JSON', ['messages', 'send', '--data', '{'], /not JSON/],
    ['a file that is not there', ['messages', 'send', '--data', '@/nonexistent'], /cannot be read/],
    ['a key where none is taken', ['domains', 'list', '--key', 'k'], /takes no --key/],
  ])
    it(`${name} that does not exist or fit: exit code 2`, async () => {
      const { code, stderr } = await api(args);
      assert.equal(code, 2);
      assert.match(JSON.parse(stderr).error.message, told);
    });

  it('no service: exit code 3, and the key to try again with', async () => {
    const env = { ACUSE_BASE_URL: 'http://127.0.0.1:1', ACUSE_API_KEY: 'acuse_a_canary' };
    const { code, stderr } = await api(['messages', 'send', '--data', '{}', '--key', 'k1'], env);
    assert.equal(code, 3);
    assert.equal(JSON.parse(stderr).error.idempotency_key, 'k1');
    assert.doesNotMatch(stderr, /canary/);
  });

  it('--dry-run shows the request without the key and makes none', async () => {
    const env = { ACUSE_BASE_URL: 'http://127.0.0.1:1', ACUSE_API_KEY: 'acuse_a_canary' };
    const { code, stdout } = await api(
      ['messages', 'send', '--data', '{"a":1}', '--key', 'k', '--dry-run'],
      env,
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^POST http:\/\/127\.0\.0\.1:1\/v1\/messages\nAuthorization: Bearer \*\*\*\nIdempotency-Key: k/,
    );
  });
});

describe('acuse-api against the service', live, () => {
  it('sends from a file, and says what to do about a refusal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
    const path = join(folder, 'send.json');
    await writeFile(path, JSON.stringify(draft()));
    const { code, stdout } = await api(['messages', 'send', '--data', `@${path}`, '--json']);
    assert.equal(code, 0);
    const { id } = JSON.parse(stdout);
    assert.equal(JSON.parse((await api(['messages', 'get', id])).stdout).id, id);
    await writeFile(path, JSON.stringify(draft({ from: 'x@unverified.example' })));
    const refused = await api(['messages', 'send', '--data', `@${path}`]);
    assert.equal(refused.code, 1);
    const { error } = JSON.parse(refused.stderr);
    assert.equal(error.code, 'domain_not_verified');
    assert.match(error.fix, /domains/);
    await rm(folder, { recursive: true });
  });
});
