import { createGate } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

/** Both fit the rules, and are nobody's. */
const PASSWORD = 'cuatro gatos verdes';
const ANOTHER = 'cinco perros azules';

describe.skipIf(!hasBrowser)('one’s own page (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const emailOf = async ({ page }: Visitor): Promise<string> =>
    (await (await page.request.get(`${portal.base}/v1/portal/session`)).json()).user.email;

  async function givePassword({ page }: Visitor, password: string): Promise<void> {
    const answer = await page.request.put(`${portal.base}/v1/portal/password`, {
      data: { password },
      headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
    });
    expect(answer.status()).toBe(204);
  }

  /** Signs in by the form, in a profile of its own. */
  async function signedInWith(email: string, password: string): Promise<Visitor> {
    const visitor = await portal.asStranger();
    await visitor.visit('/sign-in');
    await visitor.page.getByLabel('Email address').fill(email);
    await visitor.page.getByLabel('Password', { exact: true }).fill(password);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    return visitor;
  }

  test('from the menu: name, language and zone are kept with the person, and hold elsewhere', async () => {
    const viewer = await portal.asViewer();
    const { page, watch } = viewer;
    await viewer.visit('/');
    await page.getByRole('button', { name: /^You: / }).click();
    await page.getByRole('menuitem', { name: 'Profile and sign-in' }).click();
    await page.getByRole('heading', { level: 1, name: 'You' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Luis Hernández');
    await page.getByLabel('Time zone').selectOption('America/Tijuana');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Español');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('El perfil quedó guardado.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Usted' }).waitFor();
    await page.getByRole('button', { name: 'Usted: Luis Hernández' }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });

    await givePassword(viewer, PASSWORD);
    const elsewhere = await signedInWith(await emailOf(viewer), PASSWORD);
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
    await elsewhere.visit('/you');
    expect(await elsewhere.page.getByLabel('Zona horaria').inputValue()).toBe('America/Tijuana');
    await elsewhere.close();
    await viewer.close();
  });

  test('a name that was saved stays, when a read that began before ends after it', async () => {
    const [owner, viewer] = [await portal.asOwner(), await portal.asViewer()];
    const { page } = viewer;
    await viewer.visit('/you');
    const [asked, saved, answered] = [createGate(), createGate(), createGate()];
    await page.route(
      '**/v1/portal/session',
      async (route) => {
        const before = await route.fetch();
        asked.open();
        await saved.until;
        // The page may have given it up.
        await route.fulfill({ response: before }).catch(() => {});
        answered.open();
      },
      { times: 1 },
    );
    // Makes every member's page read the session again.
    const renamed = await owner.context.request.patch(`${portal.base}/v1/portal/settings`, {
      data: { name: 'Renamed meanwhile' },
      headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
    });
    expect(renamed.status()).toBe(200);
    await asked.until;
    await page.getByLabel('Name', { exact: true }).fill('Saved meanwhile');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('The profile is saved.').waitFor();
    saved.open();
    await answered.until;
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    await page.getByRole('button', { name: 'You: Saved meanwhile' }).waitFor();
    await viewer.close();
    await owner.close();
  });

  test('what was typed is not lost by a slip: leaving asks', async () => {
    const { page, visit, close } = await portal.asViewer();
    await visit('/you');
    await page.getByLabel('Name', { exact: true }).fill('Typed');
    await page.getByRole('link', { name: 'Messages' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed');
    await page.getByRole('link', { name: 'Messages' }).click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await close();
  });

  test('the appearance is this browser’s, and holds after a reload', async () => {
    const { page, visit, close } = await portal.asViewer();
    await visit('/you');
    await page.getByRole('combobox', { name: 'Appearance' }).selectOption('Dark');
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await close();
  });

  test('a password is set, changed with the one before, and ends the other sessions', async () => {
    const viewer = await portal.asViewer();
    const email = await emailOf(viewer);
    const { page, visit, watch } = viewer;
    await visit('/you');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Set a password' }).click();
    await dialog.getByLabel('New password').fill('short');
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await dialog.getByText('A password has 12 to 256 characters.').waitFor();
    await dialog.getByLabel('New password').fill('password1234');
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await dialog.getByText('too easy to guess').waitFor();
    await dialog.getByLabel('New password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Set a password' }).click();
    await dialog.waitFor({ state: 'detached' });

    const other = await signedInWith(email, PASSWORD);
    await other.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByLabel('Current password').fill('not the password');
    await dialog.getByLabel('New password').fill(ANOTHER);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    // About the password, and not about the session: nobody is asked to sign in.
    await dialog.getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    // The same was said of the first password, and may still be on screen.
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Your other sessions have ended.').waitFor();
    const answer = await other.page.request.get(`${portal.base}/v1/portal/session`);
    expect(answer.status()).toBe(401);
    const refused = await signedInWith(email, PASSWORD);
    await refused.page.getByText('do not belong together').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    for (const each of [viewer, other, refused]) await each.close();
  });

  test('sessions are ended one by one and all at once; the own one stays', async () => {
    const viewer = await portal.asViewer();
    const email = await emailOf(viewer);
    await givePassword(viewer, PASSWORD);
    const others = [await signedInWith(email, PASSWORD), await signedInWith(email, PASSWORD)];
    for (const { page } of others) await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const { page, visit, watch, close } = viewer;
    await visit('/you');
    const ends = page.getByRole('button', { name: /^End the session of Chrome on Linux, 127/ });
    await ends.nth(1).waitFor();
    expect(
      await page
        .getByRole('row')
        .filter({ hasText: 'this one' })
        .getByRole('button', { name: /^End/ })
        .count(),
    ).toBe(0);
    await ends.first().click();
    await page.getByText('The session has ended.').waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('All other sessions have ended.').waitFor();
    await ends.first().waitFor({ state: 'detached' });
    const alone = page.getByRole('button', { name: 'End all others' });
    expect(await alone.getAttribute('aria-disabled')).toBe('true');
    for (const other of others) {
      const answer = await other.page.request.get(`${portal.base}/v1/portal/session`);
      expect(answer.status()).toBe(401);
      await other.close();
    }
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
