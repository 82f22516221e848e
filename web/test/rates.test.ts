import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('rates and usage (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
    await portal.send();
    // A message may be sealed before it is delivered, and is counted after both.
    await eventually(async () => {
      const { sent, sealed } = (await portal.api('GET', '/v1/rates?days=1')).body.daily.at(-1);
      return sent === 1 && sealed === 1;
    });
  });
  afterAll(() => portal?.stop());

  test('the arrow keys walk the days, and a day leads to its messages', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/rates');
    const days = page.getByRole('slider', { name: 'Messages by day' });
    await days.focus();
    const today = await days.getAttribute('aria-valuetext');
    expect(today).toMatch(/Sent [1-9]/);
    await page.keyboard.press('ArrowLeft');
    expect(await days.getAttribute('aria-valuetext')).toMatch(/Sent 0, Deferred 0, Bounced 0/);
    await page.keyboard.press('Home');
    expect(await days.getAttribute('aria-valuenow')).toBe('0');
    await page.keyboard.press('End');
    expect(await days.getAttribute('aria-valuetext')).toBe(today);
    await page.getByRole('link', { name: /^Messages of / }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await page.getByRole('table').waitFor();
    expect(new URL(page.url()).searchParams.get('created_after')).toMatch(/T00:00:00Z$/);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the table says what the API answers', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/rates?days=7');
    const answer = await page.request.get(`${portal.base}/v1/portal/rates?days=7`);
    const { daily } = await answer.json();
    const { ingested, sent, deferred, bounced, complained, sealed } = daily.at(-1);
    await page.getByRole('row').nth(1).waitFor();
    const cells = await page.getByRole('table').locator('tbody tr').first().locator('td, th').allInnerTexts();
    expect(cells.slice(1).map(Number)).toEqual([ingested, sent, deferred, bounced, complained, sealed]);
    await close();
  });

  test('both quotas are shown with their prices', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/usage');
    const answer = await page.request.get(`${portal.base}/v1/portal/account`);
    const { certified } = (await answer.json()).usage;
    const meter = page.getByRole('meter', { name: 'Certified messages' });
    const value = await meter.getAttribute('aria-valuetext');
    expect(value?.replaceAll(',', '')).toBe(`${certified.used} of ${certified.quota}`);
    await page.getByText('Price per message').first().waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
