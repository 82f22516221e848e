import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('senders (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const send = async (from: string) => {
    const { status, body } = await portal.api('POST', '/v1/messages', {
      from,
      to: 'delivered@sandbox.test',
      subject: 'Hello',
      text: 'Hello',
    });
    return status >= 300 ? body.error.code : 'accepted';
  };

  test('an address is approved, switched off, which holds against its domain, and deleted', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/senders');
    await page.getByRole('button', { name: 'Approve sender' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Approve sender' }).click();
    await dialog.getByText('Enter an address').waitFor();
    await dialog.getByLabel('Address', { exact: true }).fill('ana@elsewhere.example');
    await dialog.getByRole('button', { name: 'Approve sender' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'elsewhere.example' }).waitFor();
    await dialog.getByLabel('Address', { exact: true }).fill('Cobranza@sandbox.test');
    await dialog.getByRole('button', { name: 'Approve sender' }).click();
    const row = page.getByRole('row').filter({ hasText: 'cobranza@sandbox.test' });
    await row.getByText('Approved').waitFor();
    expect(await send('cobranza@sandbox.test')).toBe('accepted');

    await row.getByRole('button', { name: 'Switch off' }).click();
    await row.getByText('Switched off').waitFor();
    expect(await send('cobranza@sandbox.test')).not.toBe('accepted');
    await page.getByLabel('State').selectOption('false');
    expect(page.url()).toContain('active=false');
    await row.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    expect(await send('cobranza@sandbox.test')).toBe('accepted');

    await row.getByRole('button', { name: 'Delete cobranza@sandbox.test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete sender' }).click();
    await row.waitFor({ state: 'detached' });
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('every address of a domain is approved, and waits as long as the domain does', async () => {
    const { body: domain } = await portal.api('POST', '/v1/domains', { name: 'waiting.example' });
    const { page, visit, watch, close } = await portal.asDeveloper();
    await visit(`/senders?domain_id=${domain.id}`);
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Approve sender' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Every address of a domain' }).check();
    expect(await dialog.getByRole('combobox', { name: 'Domain' }).inputValue()).toBe('waiting.example');
    await dialog.getByRole('button', { name: 'Approve sender' }).click();
    const row = page.getByRole('row').filter({ hasText: '*@waiting.example' });
    await row.getByText('Domain pending').waitFor();
    await row.getByRole('link', { name: 'waiting.example' }).click();
    await page.getByRole('heading', { level: 1, name: 'waiting.example' }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a viewer reads who may send, and why nothing can be changed', async () => {
    await portal.api('POST', '/v1/senders', { address: 'lista@sandbox.test' });
    const { page, visit, watch, close } = await portal.asViewer();
    await visit('/senders');
    const row = page.getByRole('row').filter({ hasText: 'lista@sandbox.test' });
    for (const name of ['Switch off', 'Delete lista@sandbox.test'])
      expect(await row.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
    const add = page.getByRole('button', { name: 'Approve sender' });
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
