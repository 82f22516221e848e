import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('the audit log of operators (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('what was changed is there with before and after, filtered by the address, and exported', async () => {
    const { page, visit, watch, close, context } = await portal.asOperator();
    await visit('/audit');
    const own = new URL(page.url()).origin;
    const headers = { origin: own, 'sec-fetch-site': 'same-origin' };
    const id = String(portal.server.sandbox!['tenant_id']);
    const change = (data: object) =>
      context.request.patch(`${own}/v1/admin/tenants/${id}`, { data, headers });
    expect((await change({ price_per_message_cents: 5 })).status()).toBe(200);
    expect((await change({ source_pool: 'no-such-pool' })).status()).toBe(400);

    await page.getByLabel('Action').selectOption('tenant.update');
    await page
      .getByRole('row', { name: /Changed an account.*Price, certified: MX\$0\.00.*MX\$0\.05 Done/ })
      .waitFor();
    await page.goto(page.url());
    await page
      .getByRole('row', { name: /Changed an account/ })
      .first()
      .waitFor();
    expect(await page.getByRole('row', { name: /Signed in/ }).count()).toBe(0);
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const lines = readFileSync(await (await begun).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines[0]).toMatch(/^\ufeff?id,occurred_at,action,outcome/);
    expect(lines.slice(1).every((line) => line.includes(',tenant.update,'))).toBe(true);
    await page.getByLabel('Account').fill('01ffffff-0000-7000-8000-000000000001');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /Signed in/ }).waitFor();
    expect(watch).toEqual(clean);
    await close();
  });
});
