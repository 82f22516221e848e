import { afterAll, expect, test } from 'vitest';
import { createAdminSide } from '../../../src/app/admin-side.ts';
import { banner } from '../../../src/app/banner.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const opened: TestService[] = [];
afterAll(() => Promise.all(opened.map((service) => service.stop())));

/** The console's lines of a start, and how many links it made. */
async function start(environment: Record<string, string>) {
  const service = await startTestService({ environment: { ACUSE_ADMIN_PORT: '0', ...environment } });
  opened.push(service);
  const side = createAdminSide(service.services);
  const admin = await side.start();
  const links = await service.db.asSessions((tx) => tx.query('select 1 from operator_links'));
  await side.close(0);
  const printed = banner({
    ...{ version: '1', baseUrl: 'http://x.test', ownUrl: 'http://x.test', command: 'acuse', admin },
    ...{ recovering: false, managed: true, roles: [], delivery: '', database: '', dataDir: '' },
    ...{ sandbox: null, warnings: [], authorities: null },
    ports: { submission: null, submissions: null, returnPath: null },
  });
  return { printed, links: links.length };
}

test('with real delivery no start prints, or makes, the link of the first operator: a command does', async () => {
  const { printed, links } = await start({
    ACUSE_DELIVERY: 'direct',
    ACUSE_HOSTNAME: 'mail.example.com',
    ACUSE_PUBLIC_URL: 'https://mail.example.com',
    ACUSE_LOG_ORIGIN: 'mail.example.com/log',
    ACUSE_TRUST_PROXY: 'loopback',
  });
  expect(printed).not.toMatch(/#[\w-]{20}/);
  expect(printed).toContain('no operator yet: acuse operators link');
  expect(links).toBe(0);
});

test('a sandbox prints it', async () => {
  const { printed, links } = await start({});
  expect(printed).toMatch(/sign in once with http:\S+\/link#[\w-]{43}/);
  expect(links).toBe(1);
});
