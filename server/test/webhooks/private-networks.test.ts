import { afterAll, expect, test } from 'vitest';
import { readStartWarnings } from '../../src/app/start-warnings.ts';
import { startTestService, type TestService } from '../support/service.ts';

const opened: TestService[] = [];
afterAll(() => Promise.all(opened.map((service) => service.stop())));

async function open(environment: Record<string, string>) {
  const service = await startTestService({ environment });
  opened.push(service);
  const outbound = service.services.outbound;
  return {
    refusal: (url: string) => outbound.refusal(url),
    warnings: () => readStartWarnings(service.services),
  };
}

const EARNEST = {
  ACUSE_DELIVERY: 'direct',
  ACUSE_HOSTNAME: 'mail.example.com',
  ACUSE_PUBLIC_URL: 'https://mail.example.com',
  ACUSE_LOG_ORIGIN: 'mail.example.com/log',
  ACUSE_TRUST_PROXY: 'loopback',
  ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
};

test('with real delivery ACUSE_WEBHOOK_ALLOW_PRIVATE lets nobody reach this machine, and the start says so', async () => {
  const { refusal, warnings } = await open(EARNEST);
  for (const url of [
    'http://127.0.0.1:9/',
    'https://127.0.0.1:9/',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://10.1.2.3/',
  ])
    expect(await refusal(url), url).not.toBeNull();
  expect(await warnings()).toContainEqual(
    expect.stringMatching(
      /^ACUSE_WEBHOOK_ALLOW_PRIVATE has no effect with real delivery and without ACUSE_WEBHOOK_NETWORKS/,
    ),
  );
});

test('into a network that is listed webhooks go by https, over http to a listed loopback address alone, and nowhere else', async () => {
  const { refusal } = await open({ ...EARNEST, ACUSE_WEBHOOK_NETWORKS: '10.1.0.0/16,127.0.0.1' });
  for (const url of [
    'https://10.1.2.3/',
    'https://127.0.0.1:9/',
    'http://127.0.0.1:9/',
    'https://[::ffff:10.1.2.3]/',
  ])
    expect(await refusal(url), url).toBeNull();
  for (const url of [
    'http://10.1.2.3/',
    'http://127.0.0.2:9/',
    'http://[::1]:9/',
    'https://10.2.0.1/',
    'https://127.0.0.2/',
    'https://169.254.169.254/',
  ])
    expect(await refusal(url), url).not.toBeNull();
});

test('in the sandbox it is as it was', async () => {
  const { refusal, warnings } = await open({ ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' });
  expect(await refusal('http://127.0.0.1:9/')).toBeNull();
  expect(await refusal('https://10.1.2.3/')).not.toBeNull();
  expect((await warnings()).join()).not.toContain('WEBHOOK');
});
