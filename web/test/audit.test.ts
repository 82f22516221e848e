import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('the audit log (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('says in words what was done, as it was and as it is; filters are in the address', async () => {
    const owner = await portal.asOwner();
    const { page, visit, watch, close } = owner;
    await visit('/account');
    await page.getByLabel('Name', { exact: true }).fill('Ejemplo, S. A. de C. V.');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('The name is saved.').waitFor();
    await visit('/people');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('marta@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('The invitation went to').waitFor();

    await visit('/audit');
    const renamed = page.getByRole('row').filter({ hasText: 'Renamed the account' });
    expect(await renamed.locator('del').innerText()).toBe('Sandbox');
    expect(await renamed.innerText()).toContain('Ejemplo, S. A. de C. V.');
    await renamed.getByText('Details').click();
    await renamed.getByText('Request id').waitFor();

    const invited = page.getByRole('row').filter({ hasText: 'Invited a person' });
    await invited.getByRole('link', { name: 'marta@example.com' }).click();
    await renamed.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('target')).toBe('marta@example.com');
    await page.reload();
    await invited.waitFor();
    await page.getByRole('combobox', { name: 'What was done' }).selectOption('Signed in');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await renamed.waitFor();
    await page.getByRole('combobox', { name: 'What was done' }).selectOption('Renamed the account');
    await invited.waitFor({ state: 'detached' });

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    expect(file.suggestedFilename()).toBe('audit-log.csv');
    expect(text).toContain('rename_account');
    expect(text).not.toContain('invite_member');
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('what an address holds that means nothing filters nothing', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/audit?actor=x&action=%3Cscript%3E&days=-1&nothing=1');
    await page.getByRole('row').filter({ hasText: 'Signed in' }).first().waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('others read who may, of the log and of the settings', async () => {
    const { page, visit, watch, close } = await portal.asDeveloper();
    await visit('/audit');
    await page.getByText('Owners of the account read its audit log').waitFor();
    expect(await page.getByRole('button', { name: 'Export CSV' }).getAttribute('aria-disabled')).toBe('true');
    await visit('/account');
    const save = page.getByRole('button', { name: 'Save name' });
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    expect(await save.getAttribute('title')).toContain('only owners');
    expect(await page.getByLabel('Name', { exact: true }).isEditable()).toBe(false);
    const require = page.getByRole('button', { name: 'Require a second factor' });
    expect(await require.getAttribute('aria-disabled')).toBe('true');
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
