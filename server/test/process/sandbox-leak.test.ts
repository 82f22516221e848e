import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startSmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterEach, expect, test } from 'vitest';
import { createProcesses } from '../support/process.ts';

/**
 * The sandbox and real delivery on one data folder, one after the other: nothing of the one comes out of the
 * other.
 */
const processes = createProcesses();
afterEach(processes.end);

test('started with real delivery on the folder of a sandbox, its key is no good and its mail stays', async () => {
  const world = await startSmtpPeer();
  const env = {
    ACUSE_SMARTHOST: `smtp://127.0.0.1:${world.port}`,
    ACUSE_HOSTNAME: 'mail.acuse.test',
    ACUSE_LOG_ORIGIN: 'real.acuse.test/log',
    ACUSE_SUBMISSION_PORT: '',
    ACUSE_SUBMISSIONS_PORT: '',
  };
  const databaseUrl = await processes.database();
  const sandbox = await processes.start({ databaseUrl });
  const { dataDir } = sandbox;
  expect((await sandbox.call('GET', '/sandbox/mailbox', undefined, { host: 'acuse.example' })).status).toBe(
    200,
  );
  const waiting = await sandbox.send({ to: 'greylisted@sandbox.test' });
  await sandbox.until(waiting.body.id, 'deferred');
  await sandbox.kill9();
  expect(existsSync(join(dataDir, 'sandbox.json'))).toBe(true);

  const real = await processes.start({ databaseUrl, dataDir, env });
  expect(existsSync(join(dataDir, 'sandbox.json'))).toBe(false);
  await expect.poll(() => real.log()).toContain('No time-stamping authority is configured');
  await expect.poll(() => real.log()).toMatch(/accepted in the sandbox: 1\. They are held/);
  const headers = { authorization: `Bearer ${sandbox.sandbox.api_key}`, 'content-type': 'application/json' };
  const wrong = {
    ...headers,
    authorization: `Bearer ${sandbox.sandbox.api_key.replace(/.{8}$/, 'AAAAAAAA')}`,
  };
  const answers = await Promise.all(
    [headers, wrong].map(async (each) => {
      const answer = await fetch(`${real.baseUrl}/v1/account`, { headers: each });
      return [answer.status, await answer.text()];
    }),
  );
  expect(answers[0]![0]).toBe(401);
  expect(answers[0]).toEqual(answers[1]);
  const sent = await fetch(`${real.baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'leak-1' },
    body: JSON.stringify({ from: 'a@sandbox.test', to: 'b@world.example', subject: 's', text: 't' }),
  });
  expect(sent.status).toBe(401);
  expect((await fetch(`${real.baseUrl}/sandbox/mailbox`, { headers })).status).toBe(404);
  expect(await real.stop()).toBe(0);
  expect(world.messages()).toEqual([]);
  await world.close();

  const again = await processes.start({ databaseUrl, dataDir });
  expect(again.sandbox.api_key).toBe(sandbox.sandbox.api_key);
  expect((await again.send()).status).toBe(201);
});
