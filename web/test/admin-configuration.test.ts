import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('the configuration on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('settings are found by word, by source and in their groups, and secrets are masked', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/configuration?show=given');
    await page.getByRole('row', { name: /ACUSE_KEY_RATE.* 0 Environment/ }).waitFor();
    expect(await page.getByText('ACUSE_SEAL_INTERVAL').count()).toBe(0);
    const database = new URL(portal.databaseUrl);
    expect(await page.content()).not.toContain(`:${database.password}@`);
    await page.getByLabel('Show').selectOption('all');
    await page.getByRole('heading', { level: 2, name: 'Evidence' }).waitFor();
    await page.getByLabel('Search').fill('certificate');
    const row = page.getByRole('row', { name: /ACUSE_TLS_CERT_FILE/ });
    await row.getByText('without a restart').waitFor();
    await page.getByText('ACUSE_DELIVERY', { exact: true }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('q')).toBe('certificate');
    await page.getByLabel('Search').fill('nothing-like-this');
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(watch).toEqual(clean);
    await close();
  });
});
