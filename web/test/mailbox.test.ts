import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('the test mailbox in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  test('what arrives appears by itself, and is read in the mailbox without a key', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await page.clock.install();
    await visit('/');
    await page.getByRole('link', { name: 'Test mailbox' }).click();
    await page.getByText('No mail yet').waitFor();
    await portal.send({ subject: 'Invoice A-1042', html: '<h1>Your invoice</h1>' });
    await eventually(async () => (await portal.api('GET', '/sandbox/mailbox')).body.data.length === 1);
    await page.clock.runFor(6_000);
    const row = page.getByRole('row', { name: /Invoice A-1042/ });
    await row.getByRole('link', { name: 'delivered@sandbox.test' }).click();
    await page.waitForURL(/\/sandbox\/mailbox\/[0-9a-f-]{36}$/);
    await page.frameLocator('iframe').getByRole('heading', { name: 'Your invoice' }).waitFor();
    await page.getByRole('link', { name: 'Portal' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a viewer reads and may not delete; somebody without a session is asked for a key', async () => {
    await portal.send({ subject: 'To be kept' });
    const { context, close } = await portal.asViewer();
    const ask = (method: string) =>
      context.request.fetch(`${portal.base}/v1/portal/mailbox`, {
        method,
        headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
      });
    expect((await ask('GET')).status()).toBe(200);
    const refused = await ask('DELETE');
    expect([refused.status(), (await refused.json()).error.code]).toEqual([403, 'insufficient_scope']);
    await close();
    const stranger = await portal.asStranger();
    await stranger.page.goto(`${portal.base}/sandbox/mailbox`);
    await stranger.page.getByLabel("The sandbox's API key").waitFor();
    expect((await stranger.context.request.get(`${portal.base}/v1/portal/mailbox`)).status()).toBe(401);
    await stranger.close();
  });
});
