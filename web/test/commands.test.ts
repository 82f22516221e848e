import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('the same as code in the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test.each([
    { locale: 'en-US', title: 'The same as code', none: 'No command does what this page does.' },
    { locale: 'es-MX', title: 'Lo mismo en código', none: 'Ningún comando hace lo que hace esta página.' },
  ])('a page shows its commands, and one without says so ($locale)', async ({ locale, title, none }) => {
    const { page, visit, close } = await portal.asOperator({ locale });
    await visit('/queue?by=tenant');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText('acuse queue list --by=tenant', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await visit('/billing');
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('dialog').getByText(none).waitFor();
    await close();
  });
});
