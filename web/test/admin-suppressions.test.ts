import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)("the operator's suppressions and retention (skipped: needs chromium)", () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };
  const sendTo = (to: string) =>
    portal.api('POST', '/v1/messages', { from: 'billing@sandbox.test', to, subject: 's', text: 't' });

  test('an address is suppressed for every account, found by a part of it, and allowed again', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/suppressions');
    await page.getByText('No address is suppressed').waitFor();
    await page.getByRole('button', { name: 'Suppress address' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Suppress address' }).click();
    await dialog.getByText('Enter an address.').waitFor();
    await dialog.getByLabel('Address').fill('no address');
    await dialog.getByLabel('Reason').fill('case <12>');
    await dialog.getByRole('button', { name: 'Suppress address' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('case <12>');
    await dialog.getByLabel('Address').fill('Trap@Sandbox.test');
    await dialog.getByRole('button', { name: 'Suppress address' }).click();
    const row = page.getByRole('row', { name: /trap@sandbox\.test case <12>/ });
    await row.waitFor();
    expect((await sendTo('trap@sandbox.test')).body.error.code).toBe('recipient_suppressed');

    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('searchbox').fill('TRAP@');
    await row.waitFor();
    expect(new URL(page.url()).search).toBe('?q=TRAP%40');
    await row.getByRole('button', { name: 'Allow trap@sandbox.test again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow address' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    expect((await sendTo('trap@sandbox.test')).status).toBe(201);
    expect(watch).toEqual(clean);
    await close();
  });

  test('a file is taken in line by line, and the list comes out as one that can be taken in again', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/suppressions');
    await page.getByRole('button', { name: 'Import…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import file' }).click();
    await dialog.getByText('Choose a file.').waitFor();
    const give = (text: string) =>
      dialog.getByLabel('CSV file').setInputFiles({
        name: 'list.csv',
        mimeType: 'application/vnd.ms-excel',
        buffer: Buffer.from(text),
      });
    await give('address,reason\na@import.test,case 13\nnonsense\nb@import.test,\n');
    await dialog.getByRole('button', { name: 'Import file' }).click();
    await dialog.getByText('2 added, 0 known already, 1 refused.').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Line 3:' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /b@import\.test/ }).waitFor();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = readFileSync(await (await saved).path(), 'utf8');
    expect(text).toContain('a@import.test,case 13,');
    await page.getByLabel('Period (UTC)').selectOption('dates');
    await page.getByLabel('To and including').fill('2024-02-01');
    await page.getByLabel('From', { exact: true }).fill('2024-01-01');
    await page.getByText('Nothing matches these filters.').waitFor();
    const savedNone = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect(readFileSync(await (await savedNone).path(), 'utf8')).toBe('\ufeffaddress,reason,created_at\r\n');
    await page.reload();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /b@import\.test/ }).waitFor();
    await page.getByRole('button', { name: 'Import…' }).click();
    await give(text);
    await dialog.getByRole('button', { name: 'Import file' }).click();
    await dialog.getByText('0 added, 2 known already, 0 refused.').waitFor();
    await give('no column\n');
    await dialog.getByRole('button', { name: 'Import file' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/names no column "address"/)
      .waitFor();
    expect(watch).toEqual(clean);
    await close();
  });

  test('support reads and exports, and the other buttons say what they lack', async () => {
    const { page, visit, close } = await portal.asSupport();
    await visit('/suppressions');
    for (const name of ['Suppress address', 'Import…']) {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('title')).toContain('this needs the role admin');
      await pressAnyway(button);
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await saved;
    await close();
  });

  test('retention says what is kept how long, and leads to the message that is to be erased', async () => {
    const id = await portal.send({ certified: false });
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/retention');
    const plain = page
      .getByRole('heading', { name: 'Plain messages', exact: true })
      .locator('xpath=ancestor::section[1]');
    expect(await plain.innerText()).toMatch(/days/);
    await page.getByLabel('Id of the message').fill('0190');
    await page.getByRole('button', { name: 'Find message' }).click();
    await page.getByText('Enter the whole id').waitFor();
    await page.getByLabel('Id of the message').fill(` ${id.toUpperCase()} `);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('request 14');
    await dialog.getByLabel('Id of the message').fill(id);
    await dialog.getByRole('button', { name: 'Erase message' }).click();
    await page.getByText('The content was deleted').waitFor();
    await visit('/retention');
    const certified = page.getByText('Erased so far').locator('xpath=following::dd[1]');
    await certified.waitFor();
    expect(await certified.innerText()).toBe('1');
    expect(watch).toEqual(clean);
    await close();
  });
});
