import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('billing on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal({ ACUSE_CURRENCY: 'EUR' });
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('a month is billed on screen as in its files, and the month is in the address', async () => {
    const { page, visit, watch, close, context } = await portal.asOperator();
    await visit('/billing');
    await page.getByText('Nothing to bill').waitFor();
    const own = new URL(page.url()).origin;
    const made = await context.request.post(`${own}/v1/admin/tenants`, {
      data: { name: '=Evil', price_per_message_cents: 150 },
      headers: { origin: own, 'sec-fetch-site': 'same-origin' },
    });
    const { id } = await made.json();
    await count(id, '2026-01-01', 120);
    await visit('/billing?month=2026-01');
    const row = page.getByRole('row', { name: /=Evil 120 at €1\.50 0 at €0\.00 €180\.00/ });
    await row.waitFor();
    expect(await row.getByRole('link', { name: '=Evil' }).getAttribute('href')).toContain(`/tenants/${id}`);
    const files: string[] = [];
    for (const name of ['Download CSV', 'Download JSON']) {
      const begun = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      const file = await begun;
      expect(file.suggestedFilename()).toMatch(/^acuse-billing-2026-01\.(?:csv|json)$/);
      files.push(readFileSync(await file.path(), 'utf8'));
    }
    expect(files[0]).toContain(id);
    expect(files[0]).not.toMatch(/(?:^|,)=/m);
    expect(JSON.parse(files[1]!)).toMatchObject({ month: '2026-01', total_cents: 18_000 });
    await page.getByLabel('Month').selectOption({ index: 0 });
    await page.waitForURL((url) => !url.searchParams.has('month'));
    expect(watch).toEqual(clean);
    await close();
  });

  test('a customer reads prices in the currency of the installation', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await portal.send();
    await visit('/usage');
    await page.getByRole('cell', { name: '€0.00' }).first().waitFor();
    await page.getByRole('main').getByText('1 × €0.00 = €0.00').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/MX/);
    expect(watch).toEqual(clean);
    await close();
  });

  test('an amount whose currency could not be read names none', async () => {
    const { page, visit, close } = await portal.asOperator();
    await page.route('**/v1/admin/configuration', (route) => route.fulfill({ status: 503 }));
    await visit('/tenants');
    await page.getByRole('row', { name: /=Evil Active 10,000 at 1\.50 each/ }).waitFor();
    await page.getByRole('button', { name: 'New account' }).click();
    const form = page.getByRole('dialog');
    await form.getByText('Messages per UTC month, and an amount per message').waitFor();
    await close();
  });

  /** An account's sends of a month, as accepting writes them down. */
  async function count(tenantId: string, month: string, certified: number) {
    const client = new pg.Client(portal.databaseUrl);
    await client.connect();
    try {
      // Rows of accounts are shown to nobody but the roles that the service works as.
      await client.query('set role acuse_worker');
      await client.query(
        "insert into quota_usage (tenant_id, month, bag, used) values ($1, $2, 'certified', $3)",
        [tenantId, month, certified],
      );
    } finally {
      await client.end();
    }
  }
});
