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

  test('what was deferred and then sent is not drawn twice as high', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/v1/portal/rates?*', async (route) => {
      const answer = await route.fetch();
      const rates = await answer.json();
      Object.assign(rates.daily.at(-1), { ingested: 10, sent: 10, deferred: 10, bounced: 0 });
      await route.fulfill({ response: answer, json: rates });
    });
    await visit('/rates');
    const today = page.getByRole('slider', { name: 'Messages by day' }).locator('[data-selected=true] rect');
    await today.first().waitFor();
    const [, sent, deferred] = await today.evaluateAll((all) =>
      all.map((each) => ({
        top: Number(each.getAttribute('y')),
        start: Number(each.getAttribute('x')),
        width: Number(each.getAttribute('width')),
      })),
    );
    expect(sent!.top).toBe(0);
    expect(deferred!.top).toBe(0);
    expect(deferred!.start).toBeGreaterThanOrEqual(sent!.start + sent!.width);
    await close();
  });

  test('hours, a chosen period and a name narrow the page, and a chip widens it again', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/rates');
    await page.getByRole('combobox', { name: 'Period (UTC)' }).selectOption('Last 24 hours');
    const hours = page.getByRole('slider', { name: 'Messages by hour' });
    await hours.waitFor();
    expect(await hours.getAttribute('aria-valuemax')).toMatch(/^2[34]$/);
    await page
      .getByRole('table', { name: 'By destination' })
      .getByRole('link', { name: 'sandbox.test' })
      .click();
    const chip = page.getByRole('button', { name: 'Destination sandbox.test Remove' });
    await chip.waitFor();
    expect(await page.getByRole('table', { name: 'By destination' }).count()).toBe(0);
    await page.getByRole('link', { name: 'These messages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('to:sandbox.test');
    await page.getByRole('table', { name: 'Messages' }).waitFor();
    await page.goBack();
    await chip.click();
    await page.getByRole('table', { name: 'By destination' }).waitFor();
    expect(await chip.count()).toBe(0);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a period that ends before it begins is explained, and nothing is asked of the server', async () => {
    const { page, visit, close } = await portal.asOwner();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await visit('/rates?created_after=2026-11-02T10:00:00Z&created_before=2026-11-02T10:00:00Z');
    await page.getByText('The end must be later than the start.').waitFor();
    expect(asked.filter((url) => url.includes('/rates/period'))).toEqual([]);
    await close();
  });

  test('a rate of complaints is marked where Gmail and Yahoo would', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/v1/portal/rates/period*', async (route) => {
      const answer = await route.fetch();
      const rates = await answer.json();
      const named = (name: string, complained: number) => ({
        ...{ name, ingested: 1_000, sent: 1_000, deferred: 0, bounced: 0, complained },
      });
      rates.destinations.data = [
        named('none.example', 0),
        named('high.example', 1),
        named('over.example', 3),
      ];
      await route.fulfill({ response: answer, json: rates });
    });
    await visit('/rates');
    const rows = page.getByRole('table', { name: 'By destination' }).locator('tbody tr');
    await rows.first().waitFor();
    const complaints = await rows.locator('td:last-child').allInnerTexts();
    expect(complaints.map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      '0%',
      '0.1% High',
      '0.3% Too high',
    ]);
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
