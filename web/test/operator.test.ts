import { eventually } from '@acuse/testkit/eventually';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFailures, clippedText } from './support/accessibility.ts';
import { pressOn } from './support/keyboard.ts';
import { entriesOf, entryOf, type OwnLog, openOwnLog } from './support/own-log.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** The log of an operator who cheats, in place of the server's. */
async function serve(context: BrowserContext, log: OwnLog): Promise<void> {
  await context.route('**/log/**', async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/log/', '');
    const body =
      path === 'key'
        ? Buffer.from(`${await log.key()}\n`)
        : path === 'checkpoint'
          ? await log.checkpoint()
          : await log.tile(path);
    await (body === null ? route.fulfill({ status: 404 }) : route.fulfill({ body: Buffer.from(body) }));
  });
}

const good = (page: Page) => page.getByText('The log is in order');
const bad = (page: Page) => page.getByText('The log is not the same as before');
const step = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });
const again = (page: Page) => page.getByRole('button', { name: 'Check again' }).click();

describe.skipIf(!hasBrowser)('Verify the operator (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const sealed = (id: string) =>
    eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.sealed_at !== null);
  const quiet = { violations: [], foreign: [], faults: [] };

  test('a log that forks, shrinks or is rewritten is shown as such, until the reader forgets it', async () => {
    const { page, context, visit, close } = await portal.asViewer();
    const log = openOwnLog();
    const entries = entriesOf(40);
    await serve(context, log);
    log.show(entries.slice(0, 20));
    await visit('/verify/operator');
    await good(page).waitFor();
    await page.getByText('This is the first check in this browser.').waitFor();
    log.show(entries);
    await again(page);
    await page.getByText('It continues the log of 20 entries').waitFor();

    const cheats = [
      { entries: entries.slice(0, 30), told: 'The log has shrunk' },
      { entries: [...entries.slice(1), entryOf('x')], told: 'signed two different trees of the same size' },
      { entries: [entryOf('x'), ...entries], told: 'The log does not continue what it had signed' },
    ];
    for (const cheat of cheats) {
      log.show(cheat.entries);
      await again(page);
      await bad(page).waitFor();
      await page.getByText(cheat.told).first().waitFor();
      expect(await step(page, 'all that this browser saw before').innerText()).toContain('Fails');
      expect(await good(page).count()).toBe(0);
    }
    // The verdict is remembered: the next visit says the same.
    await visit('/verify/operator');
    await bad(page).waitFor();
    expect([...(await accessibilityFailures(page)), ...(await clippedText(page))]).toEqual([]);

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the signed statements' }).click();
    const [text] = (await (await (await saved).createReadStream()).toArray()) as Buffer[];
    expect(String(text)).toBe(`${log.noteOf(entries)}\n${log.noteOf(cheats[2]!.entries)}`);

    await page.getByRole('button', { name: 'Forget what this browser saw' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget it' }).click();
    await good(page).waitFor();
    await close();
  });

  test('another key is not believed; a log that does not answer is not accused, and what was seen stays', async () => {
    const { page, context, visit, close } = await portal.asViewer();
    const log = openOwnLog();
    log.show(entriesOf(20));
    await serve(context, log);
    await visit('/verify/operator');
    await good(page).waitFor();
    await context.unroute('**/log/**');
    await context.route('**/log/**', (route) => route.fulfill({ status: 503 }));
    await again(page);
    await page.getByText('Newer data could not be loaded').waitFor();
    expect(await good(page).count()).toBe(1);
    await context.unroute('**/log/**');
    const other = openOwnLog('other.test/log');
    other.show(entriesOf(30));
    await serve(context, other);
    await again(page);
    await page.getByText('The log has another key than before').first().waitFor();
    expect(await step(page, 'all that this browser saw before').innerText()).toContain('Not checked');
    await close();
  });

  test('the log of this server, with messages of the account: every check, by keys alone', async () => {
    const id = await portal.send({ subject: 'Contract 78' });
    await sealed(id);
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('the operator');
    await page.locator('[role=option][aria-selected=true]', { hasText: 'Verify the operator' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Verify the operator' }).waitFor();
    await good(page).waitFor();
    for (const text of ['The log signed its newest checkpoint', 'Your newest sealed messages are in the log'])
      expect(await step(page, text).innerText()).toContain('Holds');
    const table = page.getByRole('table', { name: 'Checkpoints' });
    expect(await table.getByText('Same log').count()).toBeGreaterThan(0);
    expect(await table.getByText('Not of this log').count()).toBe(0);
    // The page checks by itself every minute: that may be the check that saw the log grow.
    await eventually(async () => {
      const next = await portal.send({ subject: 'Contract 79' });
      await sealed(next);
      const asked = page.waitForResponse('**/log/checkpoint');
      await pressOn(page, page.getByRole('button', { name: 'Check again' }));
      await asked;
      await page.locator('button:not([aria-busy=true])', { hasText: 'Check again' }).waitFor();
      return page.getByText('It continues the log of').isVisible();
    });
    expect(watch).toEqual(quiet);
    await close();
  });

  test('an older checkpoint of the server itself, served again, is a log that has shrunk', async () => {
    const older = await (await fetch(`${portal.base}/log/checkpoint`)).text();
    const sizeOf = (note: string) => Number(note.split('\n')[1]);
    const id = await portal.send({ subject: 'Contract 80' });
    await sealed(id);
    await eventually(
      async () => sizeOf(await (await fetch(`${portal.base}/log/checkpoint`)).text()) > sizeOf(older),
    );
    const { page, context, visit, close } = await portal.asOwner();
    await visit('/verify/operator');
    await good(page).waitFor();
    await context.route('**/log/checkpoint', (route) => route.fulfill({ body: older }));
    await again(page);
    await bad(page).waitFor();
    await page.getByText('The log has shrunk').first().waitFor();
    await close();
  });
});
