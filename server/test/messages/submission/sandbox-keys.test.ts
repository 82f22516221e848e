import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyCheck } from '../../../src/accounts/api-keys/key-check.ts';
import { createSubmission } from '../../../src/messages/submission/listeners.ts';
import { openRawSmtp } from '../../support/raw-smtp.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { openSubmissionWorld, type SubmissionWorld } from './harness.ts';

/** The keys of sandbox accounts, presented to a process with real delivery on the same database. */
let sandbox: SubmissionWorld;
let real: TestService;
let key: string;
beforeAll(async () => {
  sandbox = await openSubmissionWorld();
  real = await startTestService({
    databaseUrl: sandbox.service.databaseUrl,
    environment: {
      ACUSE_DELIVERY: 'direct',
      ACUSE_HOSTNAME: 'mail.acuse.test',
      ACUSE_LOG_ORIGIN: 'real.acuse.test/log',
    },
  });
  key = sandbox.key;
});
afterAll(async () => {
  await real.stop();
  await sandbox.stop();
});

test('no route takes one, and the answer is that to any wrong key', async () => {
  for (const path of ['/v1/account', '/v1/messages', '/v1/api-keys', '/v1/domains']) {
    const answer = await real.call('GET', path, { key });
    const wrong = await real.call('GET', path, { key: 'acuse_x' });
    expect([answer.status, answer.body]).toEqual([401, wrong.body]);
  }
  expect((await real.send({}, { key })).status).toBe(401);
  expect((await sandbox.service.call('GET', '/v1/account', { key })).status).toBe(200);
});

test('submission takes none either', async () => {
  const { services, accept } = real;
  const submission = createSubmission({
    db: services.db,
    accept,
    threads: services.threads,
    keyCheck: services.keyCheck,
    clock: services.clock,
    log: services.log,
    hostname: 'mail.acuse.test',
    host: '127.0.0.1',
    port: null,
    tlsPort: 0,
    certificate: services.certificate.current,
  });
  const { tlsPort } = await submission.start();
  try {
    const smtp = await openRawSmtp(tlsPort!, { tls: true });
    await smtp.command('EHLO client.test');
    expect(await smtp.login(key)).toMatch(/^535 5\.7\.8 /);
    smtp.end();
  } finally {
    await submission.stop(1);
  }
});

test('a session that remembers one finds it gone', async () => {
  const { db, clock, changes } = real.services;
  const keyRate = { perSecond: 0, burst: 0 };
  const here = createKeyCheck({ db, clock, changes, sandbox: true, keyRate });
  const there = createKeyCheck({ db, clock, changes, sandbox: false, keyRate });
  const { apiKeyId: known } = await here.identify(key, '127.0.0.1');
  await expect(there.recall(known)).rejects.toMatchObject({ code: 'unauthorized' });
});
