import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutWithoutEllipsis, ownWordsCut } from './support/accessibility.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { startReceiver } from './support/receiver.ts';

/** False: an edge around it, within its row, cuts it. */
function isWhole(said: Element): boolean {
  for (let each: Element | null = said; each !== null && each.tagName !== 'TR'; each = each.parentElement) {
    if (getComputedStyle(each).overflow === 'visible') continue;
    if (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1) return false;
  }
  return true;
}

/** Lists as somebody with a phone in one hand uses them. */
describe.skipIf(!hasBrowser)('lists on a phone (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
    await portal.send({ subject: 'Invoice A-1042, which has a subject that goes on and on and on' });
    await portal.send({ subject: 'Contract 77', to: 'bounced@sandbox.test', certified: false });
  });
  afterAll(() => portal?.stop());

  test.each([320, 480, 768])(
    'a message is a row of two lines, and all of it leads on (%i px)',
    async (width) => {
      const { page, visit, close } = await portal.asOwner({ viewport: { width, height: 700 } });
      await visit('/messages');
      const row = page.getByRole('row', { name: /Contract 77/ });
      await row.waitFor();
      const heights = await page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((each) => each.clientHeight));
      // Two lines of text and the room around them.
      expect(heights.filter((height) => height > 80)).toEqual([]);
      const box = (await row.boundingBox())!;
      await page.mouse.click(box.x + box.width - 20, box.y + 20);
      await page.getByRole('heading', { level: 1, name: 'Contract 77' }).waitFor();
      await close();
    },
  );

  test('a row that leads nowhere unfolds into all of it, and what is chosen in it stays in reach', async () => {
    const address = 'somebody.with.a.long.address@mail.example.com';
    await portal.api('POST', '/v1/suppressions', { address, reason: 'Asked for no mail' });
    const { page, visit, close, watch } = await portal.asOwner({ viewport: { width: 320, height: 700 } });
    await visit('/suppressions');
    const row = page.getByRole('row', { name: address });
    await row.waitFor();
    expect((await row.boundingBox())!.height).toBeLessThanOrEqual(80);
    await row.getByRole('checkbox').check();
    await page.getByText('1 selected').waitFor();
    const whole = row.getByRole('button', { name: 'The whole row' });
    expect(await whole.getAttribute('aria-expanded')).toBe('false');
    const box = (await row.boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    const message = row.getByRole('cell', { name: 'none' });
    await message.waitFor();
    expect(await whole.getAttribute('aria-expanded')).toBe('true');
    expect((await row.boundingBox())!.height).toBeGreaterThan(80);
    await page.keyboard.press('Enter');
    await message.waitFor({ state: 'hidden' });
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test.each(['/domains', '/audit', '/keys', '/senders', '/people'])(
    'rows of %s are two lines and a foot, and no words of ours are cut',
    async (path) => {
      const { page, visit, close } = await portal.asOwner({ viewport: { width: 320, height: 700 } });
      await visit(path);
      await page.locator('tbody tr').first().waitFor();
      const heights = await page
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map(
            (each) =>
              each.clientHeight - (each.querySelector(':scope > [data-phone=foot]')?.clientHeight ?? 0),
          ),
        );
      expect(heights.filter((height) => height > 80)).toEqual([]);
      expect([...(await cutWithoutEllipsis(page)), ...(await ownWordsCut(page))]).toEqual([]);
      const names = await page
        .locator('tbody tr > [data-phone=lead]')
        .evaluateAll((cells) => cells.map((each) => each.clientWidth));
      expect(names.filter((width) => width < 100)).toEqual([]);
      await close();
    },
  );

  test.each(['en-US', 'es-MX'])(
    'why a webhook fails, and until when, is whole in its row (%s)',
    async (locale) => {
      const receiver = await startReceiver();
      receiver.answer((response) => response.writeHead(503).end());
      const { id } = (
        await portal.api('POST', '/v1/webhooks', { url: receiver.url, events: ['email.queued'] })
      ).body;
      await portal.send();
      const deliveries = async () => (await portal.api('GET', `/v1/webhooks/${id}/deliveries`)).body.data;
      await eventually(async () => (await deliveries())[0]?.attempts > 1);
      const { page, visit, close } = await portal.asOwner({ locale, viewport: { width: 320, height: 700 } });
      for (const [path, text] of [
        [`/webhooks/${id}`, /^(?:Next attempt|Próximo intento): /],
        ['/webhooks', /(?:It is turned off on|Se desactiva el) /],
      ] as const) {
        await visit(path);
        const said = page.locator('tbody').getByText(text).first();
        await said.waitFor();
        expect(await said.evaluate(isWhole)).toBe(true);
      }
      await portal.api('DELETE', `/v1/webhooks/${id}`);
      await close();
      await receiver.close();
    },
  );

  test('filters are in a sheet: its button counts them, Escape closes it and gives the focus back', async () => {
    const { page, visit, close, watch } = await portal.asOwner({ viewport: { width: 320, height: 640 } });
    await visit('/messages');
    const button = page.getByRole('button', { name: 'Filters', exact: true });
    await button.click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByLabel('Status', { exact: true }).selectOption('bounced');
    await sheet.getByLabel('Period (UTC)').selectOption('dates');
    await sheet.getByLabel('To and including').fill('2024-02-01');
    await sheet.getByLabel('From', { exact: true }).fill('2024-01-01');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('created_after'), searchParams.get('created_before')]).toEqual([
      '2024-01-01T00:00:00.000Z',
      '2024-02-02T00:00:00.000Z',
    ]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    const counted = page.getByRole('button', { name: 'Filters (2)' });
    await counted.waitFor();
    expect(await counted.evaluate((element) => element === document.activeElement)).toBe(true);
    await counted.click();
    await sheet.getByRole('button', { name: 'Clear filters' }).click();
    await sheet.getByRole('button', { name: 'Show the list' }).click();
    await page.getByRole('row', { name: /Contract 77/ }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
