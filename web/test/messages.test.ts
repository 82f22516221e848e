import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)('messages in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  let deferred: string;
  beforeAll(async () => {
    portal = await startPortal();
    await portal.send({ subject: 'Invoice A-1042' });
    await portal.send({ subject: 'Contract 77', to: 'bounced@sandbox.test', certified: false });
    deferred = await portal.send({ subject: 'Reminder 5', to: 'deferred@sandbox.test' });
    const status = async (id: string) => (await portal.api('GET', `/v1/messages/${id}`)).body.status;
    await eventually(async () => (await status(deferred)) === 'deferred');
  });
  afterAll(() => portal?.stop());

  test('filters are in the address, and a link with them shows the same rows', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/messages');
    await page.getByRole('row', { name: /Contract 77/ }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('bounced');
    await page.getByRole('row', { name: /Invoice A-1042/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?status=bounced');
    await page.reload();
    await page.getByRole('row', { name: /Contract 77/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like this');
    await page.getByRole('heading', { name: 'No message was found.' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /Invoice A-1042/ }).waitFor();
    await close();
  });

  test('what is rarely asked for is behind a button, and a chip says what is set', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/messages?seal=plain');
    const chip = page.getByRole('button', { name: 'Seal Plain Remove' });
    await chip.waitFor();
    const seal = page.getByRole('combobox', { name: 'Seal' });
    expect(await seal.count()).toBe(0);
    const more = page.getByRole('button', { name: 'More filters' });
    await more.click();
    expect([await more.getAttribute('aria-expanded'), await seal.inputValue()]).toEqual(['true', 'plain']);
    await page.getByRole('combobox', { name: 'Acknowledgement' }).selectOption('Refused');
    await page.getByRole('button', { name: 'Acknowledgement Refused Remove' }).waitFor();
    await chip.click();
    await page.waitForURL((url) => !url.searchParams.has('seal'));
    expect(new URL(page.url()).searchParams.get('acknowledgement')).toBe('refused');
    expect(await seal.inputValue()).toBe('any');
    await close();
  });

  test('a search forgives, and a zero says why and leads on', async () => {
    const { page, visit, close, watch } = await portal.asOwner();
    await visit('/messages');
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill('ontract');
    await page.getByRole('heading', { name: 'No message was found.' }).waitFor();
    for (const [q, subject] of [
      ['CÓNTRACT', 'Contract 77'],
      ['bounced@sandbox', 'Contract 77'],
      ['1042', 'Invoice A-1042'],
    ]) {
      await field.fill(q!);
      await page.getByRole('row', { name: new RegExp(subject!) }).waitFor();
      expect(await page.locator('tbody tr').count()).toBe(1);
    }
    await field.fill('nobody@sandbox.test');
    await page.getByText('No message to nobody@sandbox.test.').waitFor();
    await page.getByText(/^\d+ messages to sandbox\.test\.$/).waitFor();
    // By another filter's fault.
    await visit(`/messages?q=1042&status=bounced`);
    await page.getByRole('link', { name: /Invoice A-1042 → / }).waitFor();
    await page.getByRole('button', { name: 'Search all time, without filters' }).click();
    await page.getByRole('row', { name: /Invoice A-1042/ }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('Ctrl K finds a message by an id that is pasted, and says why it finds none', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search' });
    await field.fill(`<${deferred}@sandbox.test>`);
    await page.getByRole('option', { name: /Reminder 5/ }).waitFor();
    await field.fill('nobody@sandbox.test');
    await page.getByText(/No message to nobody@sandbox\.test\. \d+ messages to sandbox\.test\./).waitFor();
    await page.getByRole('option', { name: /Why did it not arrive/ }).click();
    await page
      .getByRole('heading', { level: 1, name: 'Why did it not reach nobody@sandbox.test?' })
      .waitFor();
    await close();
  });

  test('one address, one sheet: what happened, what to do, and a letter in both languages', async () => {
    const { page, visit, close, watch } = await portal.asOwner();
    await visit('/recipient');
    await page.getByRole('searchbox', { name: 'Recipient’s address' }).fill('bounced@sandbox.test');
    await page.getByText(/The address has been suppressed since|The last message bounced/).waitFor();
    await page.getByRole('row', { name: /Contract 77/ }).waitFor();
    await page.getByText(/Of the last \d+ messages to it/).waitFor();
    await page.getByText('Kind regards').waitFor();
    await page.getByRole('radio', { name: 'Spanish' }).check();
    await page.getByText('Saludos cordiales').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a part of a name is enough to ask why, and so is the message', async () => {
    await portal.send({ to: 'Ángela Ruiz <bounced+angela@sandbox.test>', subject: 'Contract 78' });
    const { page, visit, close, watch } = await portal.asOwner();
    await visit('/recipient?address=angela%20ru');
    await page.getByRole('link', { name: 'Ángela Ruiz <bounced+angela@sandbox.test>' }).click();
    await page
      .getByRole('heading', { level: 1, name: 'Why did it not reach bounced+angela@sandbox.test?' })
      .waitFor();
    await page.getByText(/The address has been suppressed since|The last message bounced/).waitFor();
    await page.getByRole('link', { name: 'Open the message' }).click();
    await page.getByRole('link', { name: 'What to do, and a letter to the recipient' }).click();
    await page.getByText('Kind regards').waitFor();
    await visit('/recipient?address=nobody%20like%20this');
    await page.getByText('An address or part of one').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the command that is copied, with a key put in, returns the rows on screen', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/messages?status=bounced');
    await page.getByRole('row', { name: /Contract 77/ }).waitFor();
    await page.getByRole('button', { name: 'The same as code' }).click();
    const command = await page.getByRole('dialog').locator('pre').first().innerText();
    const url = /'(http[^']*)'/.exec(command)![1]!;
    const key = String(portal.server.sandbox!['api_key']);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    expect(
      await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset['row'])),
    ).toEqual(data.map(({ id }) => id));
    await close();
  });

  test('new rows wait behind a button, and states of those shown change by themselves', async () => {
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    await page.clock.install();
    await visit('/messages');
    await page.getByRole('row', { name: /Invoice A-1042/ }).waitFor();
    await portal.send({ subject: 'Sent meanwhile' });
    await page.clock.runFor(16_000);
    await page.getByRole('button', { name: '1 new message' }).click();
    await page.getByRole('row', { name: /Sent meanwhile/ }).waitFor();
    await close();
  });

  test('a message turns to sealed on its page without reloading', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/messages');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('heading', { level: 1, name: 'A test of Acuse' }).waitFor();
    await page.getByText('A time-stamp authority confirmed when the content existed.').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a subject that turns its line around is shown as it is, one of nothing as none', async () => {
    const turned = await portal.send({ subject: 'Factura exe.\u202egpj' });
    await portal.send({ subject: '\u200b\u2060' });
    await portal.send({ subject: 'Familia \u{1f468}\u200d\u{1f469}\u200d\u{1f467}' });
    const { page, visit, close } = await portal.asOwner();
    await visit('/messages');
    await page.getByRole('row', { name: 'Factura exe.\ufffdgpj' }).waitFor();
    await page.getByRole('row', { name: '(no subject)' }).first().waitFor();
    await page.getByRole('row', { name: 'Familia \u{1f468}\u200d\u{1f469}\u200d\u{1f467}' }).waitFor();
    await visit(`/messages/${turned}`);
    await page.getByRole('heading', { level: 1, name: 'Factura exe.\ufffdgpj' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('\u202e');
    await close();
  });

  test('HTML of strangers stands in a frame that loads nothing, its links beside it', async () => {
    const html =
      '<img src="https://evil.test/a.png"><script src="https://evil.test/b.js"></script><a href="https://evil.test/c">Bank</a>';
    const id = await portal.send({ subject: 'Hostile', html });
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/messages/${id}/content`);
    await page.frameLocator('iframe').getByText('Bank').waitFor();
    await page.getByText('https://evil.test/c').waitFor();
    await page.waitForLoadState('networkidle');
    expect(watch.foreign).toEqual([]);
    expect(watch.faults).toEqual([]);
    await close();
  });

  test('by keys alone: to the list, down its rows, into a message, and to a page by its name', async () => {
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    // What is seen has the focus, and hears keys.
    await delayEffects(page, 1000);
    await visit('/');
    await page.keyboard.press('g');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('m');
    expect(new URL(page.url()).pathname).not.toContain('messages');
    await page.keyboard.press('g');
    // Nobody has to be fast (WCAG 2.2.1).
    await page.waitForTimeout(1_500);
    await page.keyboard.press('m');
    await page.getByRole('row', { name: /Reminder 5/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/messages\/[0-9a-f-]{36}\//);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('mess');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await close();
  });

  test('the conversation marks the answer that decided, and the timeline says why it waits', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit(`/messages/${deferred}/conversation`);
    const decided = page.getByRole('listitem').filter({ hasText: 'this answer decided' });
    expect(await decided.first().innerText()).toMatch(/451/);
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByText('It waits for its next attempt at').waitFor();
    await close();
  });

  test('a viewer reads that they may not send, and the button stays', async () => {
    const { page, visit, close } = await portal.asViewer();
    await visit('/messages');
    const button = page.getByRole('button', { name: 'Send a test' });
    await button.focus();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.getAttribute('title')).toContain('your role may read only');
    await pressAnyway(button);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });

  test('a message is cancelled once that was confirmed', async () => {
    const { page, visit, close } = await portal.asOwner();
    const id = await portal.send({ subject: 'To be cancelled', to: 'deferred@sandbox.test' });
    await eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.status === 'deferred');
    await visit(`/messages/${id}`);
    await page.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    expect((await portal.api('GET', `/v1/messages/${id}`)).body.status).toBe('cancelled');
    await close();
  });

  test('a server that fails leaves an error with its code, its request and a way to try again', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/v1/portal/messages?*', (request) =>
      request.fulfill({
        status: 400,
        headers: { 'Request-Id': '0190a6c2-0000-7000-8000-000000000000' },
        json: { error: { code: 'invalid_parameter', message: 'limit must be <= 100.' } },
      }),
    );
    await visit('/messages');
    const alert = page.getByRole('alert');
    await alert.getByText('limit must be <= 100.').waitFor();
    expect(await alert.innerText()).toContain('0190a6c2-0000-7000-8000-000000000000');
    expect(await alert.locator('[lang=en]').innerText()).toContain('limit must be');
    await page.unroute('**/v1/portal/messages?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /Invoice A-1042/ }).waitFor();
    await close();
  });

  test('in Spanish no English is left but the answers of servers', async () => {
    const { page, visit, close } = await portal.asOwner({ locale: 'es-MX' });
    for (const path of [
      '/messages',
      `/messages/${deferred}/timeline`,
      `/messages/${deferred}/conversation`,
    ]) {
      await visit(path);
      await page.waitForLoadState('networkidle');
      const text = await page.evaluate(() => {
        for (const english of document.querySelectorAll('[lang=en], tbody')) english.remove();
        return document.body.innerText;
      });
      expect(text).not.toMatch(/\b(?:the|with|and|status|sent|sealed|search|attempt|accepted)\b(?!:)/i);
    }
    await close();
  });
});
