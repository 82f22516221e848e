import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('messages of all accounts in the console (skipped: needs chromium)', () => {
  let portal: Portal;
  let bounced: string;
  beforeAll(async () => {
    portal = await startOwnPortal();
    await portal.send({ subject: 'Invoice A-1042', to: 'Ana García <delivered@sandbox.test>' });
    bounced = await portal.send({ subject: 'Contract 77', to: 'bounced@sandbox.test' });
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('a search finds them by address, says so in the audit log, and shows no subject', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/messages');
    await page.getByText('What are you looking for?').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('garcia');
    await page.getByRole('row', { name: /Ana García/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.getByText('Invoice A-1042').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search' }).fill('A-1042');
    await page.getByText('No account has such a message.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill(bounced);
    await page.getByRole('row', { name: /bounced@sandbox\.test/ }).waitFor();
    await page.getByRole('link', { name: /: bounced@sandbox\.test/ }).click();
    await page.getByRole('heading', { level: 1, name: 'bounced@sandbox.test' }).waitFor();
    await visit('/audit');
    await page.getByRole('row', { name: /Searched for messages garcia/ }).waitFor();
    expect(watch).toEqual(clean);
    await close();
  });

  test('Ctrl K leads to the search without making it, and an account to its messages', async () => {
    const { page, visit, close } = await portal.asOperator();
    await visit('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('delivered@sandbox');
    await page.getByRole('option', { name: /Search in messages/ }).click();
    await page.getByRole('row', { name: /Ana García/ }).waitFor();
    await page.getByRole('link', { name: 'Sandbox', exact: true }).first().click();
    await page.getByRole('link', { name: 'Its messages' }).click();
    await page.getByRole('row', { name: /bounced@sandbox\.test/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('tenant')).toBe(String(portal.server.sandbox!['tenant_id']));
    await close();
  });
});
