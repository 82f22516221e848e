import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COOKIE, type Person, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { REMOTE, sendHostile } from './hostile-message.ts';

/** A message in a frame. */
describe.skipIf(chromiumPath === null)('in a browser (skipped: needs chromium)', () => {
  let service: TestService;
  let viewer: Person;
  let message: string;
  beforeAll(async () => {
    service = await startTestService();
    viewer = await signedIn(service, service.account.tenantId, 'viewer');
    message = await sendHostile(service);
  });
  afterAll(() => service?.stop());

  test('a hostile message asks nobody for anything, and with leave for its images alone', async () => {
    const base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
    const browser = await startBrowser();
    try {
      const asked: string[] = [];
      const context = await browser.newContext();
      await context.addCookies([{ name: COOKIE, value: viewer.token!, url: base }]);
      const page = await context.newPage();
      page.on('request', (request) => asked.push(request.url()));
      for (const images of [0, 1]) {
        const url = `${base}/v1/portal/messages/${message}/preview?images=${images}`;
        await page.goto(url, { waitUntil: 'networkidle' });
        expect(await page.locator('h1').innerText()).toBe('Factura');
        const remote = images === 1 ? [`${REMOTE}/background`, `${REMOTE}/image.png`] : [];
        expect(asked.filter((each) => !each.startsWith('data:')).sort()).toEqual([url, ...remote].sort());
        asked.length = 0;
      }
    } finally {
      await browser.close();
    }
  });
});
