import { eventually } from '@acuse/testkit/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFailures } from './support/accessibility.ts';
import { pressOn, tabTo } from './support/keyboard.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

const PASSWORD = 'a long enough horse 77';

describe.skipIf(!hasBrowser)('Prove it (skipped: needs chromium)', () => {
  let portal: Portal;
  let sealed: string;
  beforeAll(async () => {
    portal = await startPortal();
    sealed = await portal.send({
      subject: 'Contract 77',
      text: 'The secret clause',
      html: '<p>The secret clause</p>',
    });
    const message = async () => (await portal.api('GET', `/v1/messages/${sealed}`)).body;
    await eventually(async () => (await message()).sealed_at !== null);
  });
  afterAll(() => portal?.stop());

  const quiet = { violations: [], foreign: [], faults: [] };
  const dialog = (page: Page) => page.getByRole('dialog');
  const verdict = (page: Page) => page.locator('.verdict');

  /** Somebody else, in a profile of their own, opens a link by keys alone. */
  async function openAsStranger(url: string) {
    const stranger = await portal.asStranger();
    await stranger.page.goto(url);
    await pressOn(stranger.page, stranger.page.getByRole('button', { name: 'Open the proof' }));
    await verdict(stranger.page).waitFor();
    return stranger;
  }

  test('by keys alone: a link is made, a stranger verifies it, its opening is on record, it is revoked', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/messages/${sealed}/evidence`);
    await pressOn(page, page.getByRole('button', { name: 'Prove it' }));
    await tabTo(page, dialog(page).getByLabel('Shared with (optional)'));
    expect(await accessibilityFailures(page)).toEqual([]);
    await page.keyboard.type('Notary 12');
    await page.keyboard.press('Enter');
    const made = page.getByRole('dialog', { name: 'The link' });
    const url = await made.locator('pre').innerText();
    // Escape must not lose what is shown only once.
    await page.keyboard.press('Escape');
    expect(await made.isVisible()).toBe(true);
    await pressOn(page, made.getByRole('button', { name: 'I have copied it' }));
    const share = page.getByRole('listitem').filter({ hasText: 'Notary 12' });
    await share.getByText('not opened yet').waitFor();
    expect(await share.innerText()).toContain('the whole message and its delivery');
    expect(await page.content()).not.toContain(new URL(url).hash.slice(1));

    const stranger = await openAsStranger(url);
    expect(await verdict(stranger.page).innerText()).toBe('Consistent, but nobody you trust vouches for it');
    expect(await stranger.page.locator('#result').innerText()).toContain('Contract 77');
    expect(await stranger.page.locator('#result').innerText()).toContain('A part is withheld');
    await stranger.page.getByText('To check it on your own computer').waitFor();
    expect(
      await stranger.page.getByRole('link', { name: 'Verify a proof bundle' }).getAttribute('href'),
    ).toBe('/verify');
    const { body } = await portal.api('GET', `/v1/verifications?message_id=${sealed}`);
    // The owner's page, which is open still, may have asked for the evidence again since.
    expect(body.data.filter(({ result }: { result: string }) => result === 'opened')).toMatchObject([
      {
        result: 'opened',
        actor: { kind: 'share', name: 'Notary 12' },
        client_address: '127.0.0.1',
      },
    ]);
    // The list is read again from time to time; a visit reads it at once.
    await visit(`/messages/${sealed}/evidence`);
    await share.getByText('opened once').waitFor();

    await pressOn(page, share.getByRole('button', { name: 'Revoke the link: Notary 12' }));
    await pressOn(page, dialog(page).getByRole('button', { name: 'Revoke link' }));
    await share.getByText('Revoked', { exact: true }).waitFor();
    const { hash, pathname } = new URL(url);
    const again = await fetch(portal.base + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: hash.slice(1) }),
    });
    expect(again.status).toBe(404);
    await stranger.page.reload();
    await pressOn(stranger.page, stranger.page.getByRole('button', { name: 'Open the proof' }));
    await verdict(stranger.page).waitFor();
    expect(await verdict(stranger.page).innerText()).toBe('This link cannot be opened');
    expect([watch, stranger.watch]).toEqual([quiet, quiet]);
    await stranger.close();
    await close();
  });

  test('a court that asks for a file finds the report and the bundle by the sentence of the dialog', async () => {
    const { page, visit, watch, close } = await portal.asDeveloper();
    await visit(`/messages/${sealed}/timeline`);
    await page.getByRole('button', { name: 'Prove it' }).click();
    await dialog(page).getByText('there is a report to print and the proof bundle').waitFor();
    await dialog(page).getByRole('link', { name: 'Evidence of this message' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toMatch(/\/evidence$/);
    for (const name of ['Proof bundle', 'Report (PDF)']) await page.getByRole('button', { name }).waitFor();
    expect(watch).toEqual(quiet);
    await close();
  });

  test('parts alone: what was not chosen stays closed, and choosing nothing is refused here', async () => {
    const { page, visit, close } = await portal.asDeveloper();
    await visit(`/messages/${sealed}/timeline`);
    await page.getByRole('button', { name: 'Prove it' }).click();
    await dialog(page).getByLabel('The whole message').uncheck();
    await dialog(page).getByLabel('Delivery, with').uncheck();
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    await dialog(page).getByText('Choose at least one thing to show.').waitFor();
    await dialog(page).getByLabel(/^HTML/).check();
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    expect((await asked).postDataJSON().disclose).toEqual({ message: false, parts: [1], delivery: false });
    const url = await page.getByRole('dialog', { name: 'The link' }).locator('pre').innerText();
    const stranger = await openAsStranger(url);
    expect(await verdict(stranger.page).innerText()).toBe('Consistent, but nobody you trust vouches for it');
    const shown = await stranger.page.locator('#result').innerText();
    expect(shown).toContain('text/html');
    expect(shown).not.toMatch(/Contract 77|sandbox\.test>|text\/plain/);
    await stranger.close();
    await close();
  });

  test('a sign-in that is too long ago is confirmed, and what was typed is not lost', async () => {
    const { page, visit, context, close } = await portal.asDeveloper();
    const set = await context.request.put(`${portal.base}/v1/portal/password`, {
      data: { password: PASSWORD },
      headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
    });
    expect(set.status()).toBe(204);
    await visit(`/messages/${sealed}/evidence`);
    let refused = 0;
    await page.route('**/shares', (route) => {
      if (route.request().method() !== 'POST' || refused++ > 0) return route.continue();
      return route.fulfill({
        status: 403,
        json: { error: { code: 'reauthentication_required', message: 'Confirm that it is you.' } },
      });
    });
    await page.getByRole('button', { name: 'Prove it' }).click();
    await dialog(page).getByLabel('Shared with (optional)').fill('Court 3');
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'The link' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Court 3' }).waitFor();
    expect(refused).toBe(2);
    await close();
  });

  test('a viewer sees the links, and reads why they may make and revoke none', async () => {
    const { page, visit, close } = await portal.asViewer();
    await visit(`/messages/${sealed}/evidence`);
    const share = page.getByRole('listitem').filter({ hasText: 'Court 3' });
    const buttons = [
      page.getByRole('button', { name: 'Prove it' }),
      share.getByRole('button', { name: 'Revoke the link: Court 3' }),
    ];
    for (const button of buttons) {
      expect(await button.getAttribute('title')).toContain('your role may read only');
      await pressAnyway(button);
      expect(await dialog(page).count()).toBe(0);
    }
    await close();
  });
});
