import { readFileSync } from 'node:fs';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('suppressions (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const suppress = (address: string, reason?: string) =>
    portal.api('POST', '/v1/suppressions', { address, ...(reason !== undefined && { reason }) });
  const known = async (address: string): Promise<boolean> => {
    const { body } = await portal.api('GET', `/v1/suppressions?address=${encodeURIComponent(address)}`);
    return body.data.length > 0;
  };

  test('an address is added by hand, found by its link, and why it is there is said', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/suppressions');
    await page.getByRole('button', { name: 'Add address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add address' }).click();
    await dialog.getByText('Enter an address').waitFor();
    await dialog.getByLabel('Address').fill('nobody');
    await dialog.getByRole('button', { name: 'Add address' }).click();
    await dialog.getByRole('alert').filter({ hasText: '@' }).waitFor();
    expect(await dialog.getByLabel('Address').inputValue()).toBe('nobody');
    await dialog.getByLabel('Address').fill('Baja@Example.COM');
    await dialog.getByLabel('Reason').fill('=asked by <b>telephone</b>');
    await dialog.getByRole('button', { name: 'Add address' }).click();
    const row = page.getByRole('row').filter({ hasText: 'baja@example.com' });
    await row.getByText('=asked by <b>telephone</b>').waitFor();

    await suppress('other@example.com');
    await visit('/suppressions?address=BAJA@example.com');
    await row.waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await visit('/suppressions?address=nobody@example.net&source=bounce');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row.waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('several are removed at once, and a complaint only after its warning was answered', async () => {
    const id = await portal.send({ to: 'complained+1@sandbox.test' });
    await eventually(() => known('complained+1@sandbox.test'));
    await suppress('one@remove.example');
    await suppress('two@remove.example');
    const { page, visit, watch, close } = await portal.asDeveloper();
    await visit('/suppressions');
    const complained = page.getByRole('row').filter({ hasText: 'complained+1@sandbox.test' });
    expect(await complained.getByRole('link', { name: 'See message' }).getAttribute('href')).toContain(id);
    // The server's own sentence is English on every page.
    expect(await complained.getByText('about message').count()).toBe(0);
    for (const address of ['one@remove.example', 'two@remove.example', 'complained+1@sandbox.test'])
      await page.getByRole('checkbox', { name: `Select ${address}` }).check();
    // Somebody else was faster with one of them.
    const { body } = await portal.api('GET', '/v1/suppressions?address=two@remove.example');
    await portal.api('DELETE', `/v1/suppressions/${body.data[0].id}`);
    await page.getByRole('button', { name: 'Remove 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove 3 addresses?' });
    await dialog.getByText('1 of these people reported your mail as unwanted').waitFor();
    await dialog.getByRole('button', { name: 'Remove 3' }).click();
    await dialog.getByText('Confirm this, or take').waitFor();
    expect(await known('one@remove.example')).toBe(true);
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Remove 3' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'remove.example' }).first().waitFor({ state: 'detached' });
    expect(await known('one@remove.example')).toBe(false);
    expect(await known('complained+1@sandbox.test')).toBe(false);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a file is imported with a report by line, and the list is exported as a file', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/suppressions');
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('Choose a file.').waitFor();
    const file = (text: string) => ({ name: 'list.csv', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await dialog.locator('input[type=file]').setInputFiles(file('name,age\nana,3\n'));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'names no column' }).waitFor();
    const lines = [
      'email;reason',
      'a@import.example;pidió baja',
      'not an address;',
      'A@import.example;',
      '=x@import.example;',
    ];
    await dialog.locator('input[type=file]').setInputFiles(file(lines.join('\r\n')));
    await dialog.getByRole('button', { name: 'Import' }).click();
    const report = page.getByRole('dialog', { name: 'What was imported' });
    await report.getByRole('row').filter({ hasText: 'not an address' }).waitFor();
    expect((await report.locator('dd').allInnerTexts()).map(Number)).toEqual([2, 1, 1]);
    const [refused] = await Promise.all([
      page.waitForEvent('download'),
      report.getByRole('button', { name: 'Download refused lines' }).click(),
    ]);
    expect(readFileSync(await refused.path(), 'utf8')).toContain('3,not an address;,');
    await report.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'a@import.example' }).first().waitFor();

    const [exported] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const csv = readFileSync(await exported.path(), 'utf8');
    expect(csv).toContain('a@import.example,pidió baja,manual');
    expect(csv).toContain("'=x@import.example");
    await page.getByRole('button', { name: 'The same as code' }).click();
    await page.getByText('--data-binary @file').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a viewer reads the list, and why nothing can be changed', async () => {
    await suppress('kept@example.com');
    const { page, visit, watch, close } = await portal.asViewer();
    await visit('/suppressions');
    for (const name of ['Add address', 'Import', 'Select all shown'])
      expect(await page.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
    const box = page.getByRole('checkbox', { name: 'Select kept@example.com' });
    await box.focus();
    await page.keyboard.press('Space');
    expect(await box.isChecked()).toBe(false);
    expect(await page.getByRole('button', { name: 'Export CSV' }).getAttribute('aria-disabled')).toBe(null);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('what is suppressed while somebody looks waits above the list', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/suppressions?source=manual');
    await page.getByRole('table').waitFor();
    await suppress('fresh@example.com');
    const button = page.getByRole('button', { name: '1 new address' });
    await button.waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'fresh@example.com' }).count()).toBe(0);
    await button.click();
    await page.getByRole('row').filter({ hasText: 'fresh@example.com' }).waitFor();
    await close();
  });
});
