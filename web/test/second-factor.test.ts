import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticator } from './support/authenticator.ts';
import { openAccount, PASSWORD, signInBy } from './support/people.ts';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';
import { ownHeaders } from './support/sessions.ts';

describe.skipIf(!hasBrowser)('a second factor (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  async function givePassword({ page }: Visitor): Promise<string> {
    const headers = ownHeaders(portal.base);
    await page.request.put(`${portal.base}/v1/portal/password`, { data: { password: PASSWORD }, headers });
    const answer = await page.request.get(`${portal.base}/v1/portal/session`);
    return (await answer.json()).user.email;
  }

  /** Walks through the dialogs; returns the app and the recovery codes. */
  async function setUp({ page }: Visitor) {
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const scan = page.getByRole('dialog', { name: 'Scan this code with the app' });
    await scan.getByRole('img', { name: 'QR code of the secret below' }).waitFor();
    const drawn = await scan.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth);
    expect(drawn).toBeGreaterThan(0);
    const app = authenticator(await scan.locator('code').innerText());
    await scan.getByLabel('The six digits that the app shows').fill('12345');
    await scan.getByRole('button', { name: 'Turn on' }).click();
    await scan.getByText('Enter six digits.').waitFor();
    await scan.getByLabel('The six digits that the app shows').fill(app.next());
    await scan.getByRole('button', { name: 'Turn on' }).click();
    const keep = page.getByRole('dialog', { name: 'Keep these recovery codes' });
    await keep.waitFor();
    const codes = await keep.getByRole('listitem').allInnerTexts();
    expect(codes).toHaveLength(10);
    // The page below learns of it and changes: the codes stay.
    if (page.url().endsWith('/you'))
      await page.getByText('On: a code of your authenticator app').waitFor({ state: 'attached' });
    // Neither a key takes them away, wherever it is pressed, nor the browser, which need not ask.
    await page.keyboard.press('Escape');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
    await keep.evaluate((dialog: HTMLDialogElement) => dialog.close());
    await keep.getByRole('listitem').first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      keep.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('acuse-recovery-codes.txt');
    await keep.getByRole('button', { name: 'I have kept them' }).click();
    await keep.waitFor({ state: 'detached' });
    for (const code of codes) expect(await page.content()).not.toContain(code);
    return { app, codes };
  }

  test('is set up from a QR code and asked for from then on; each code is good once', async () => {
    const viewer = await portal.asViewer();
    const email = await givePassword(viewer);
    await viewer.visit('/you');
    const { app, codes } = await setUp(viewer);
    await viewer.page.getByText('On: a code of your authenticator app').waitFor();
    expect(viewer.watch).toEqual({ violations: [], foreign: [], faults: [] });

    const code = app.next();
    const first = await signInBy(portal, email);
    await first.page.getByLabel('Code', { exact: true }).fill(code);
    await first.page.getByRole('button', { name: 'Continue' }).click();
    await first.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

    const second = await signInBy(portal, email);
    await second.page.getByLabel('Code', { exact: true }).fill(code);
    await second.page.getByRole('button', { name: 'Continue' }).click();
    await second.page.getByText('wrong or was already used').waitFor();
    await second.page.getByRole('button', { name: 'Use a recovery code' }).click();
    await second.page.getByLabel('Recovery code').fill(codes[0]!.toUpperCase());
    await second.page.getByRole('button', { name: 'Continue' }).click();
    await second.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

    const third = await signInBy(portal, email);
    await third.page.getByRole('button', { name: 'Use a recovery code' }).click();
    await third.page.getByLabel('Recovery code').fill(codes[0]!);
    await third.page.getByRole('button', { name: 'Continue' }).click();
    await third.page.getByText('wrong or was already used').waitFor();
    // Half a session opens nothing.
    await third.visit('/messages');
    await third.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    for (const each of [viewer, first, second, third]) await each.close();
  });

  test('recovery codes are renewed on the own page, and those before sign nobody in', async () => {
    const viewer = await portal.asViewer();
    const email = await givePassword(viewer);
    await viewer.visit('/you');
    const { codes } = await setUp(viewer);
    const { page } = viewer;
    await page.getByRole('button', { name: 'Make new codes' }).click();
    const asked = page.getByRole('dialog', { name: 'Make new recovery codes?' });
    await asked.getByText('stop working at once').waitFor();
    await asked.getByRole('button', { name: 'Make new codes' }).click();
    const keep = page.getByRole('dialog', { name: 'Keep these recovery codes' });
    await keep.waitFor();
    const renewed = await keep.getByRole('listitem').allInnerTexts();
    expect(new Set([...codes, ...renewed]).size).toBe(20);
    await keep.getByRole('button', { name: 'I have kept them' }).click();
    await keep.waitFor({ state: 'detached' });

    const other = await signInBy(portal, email);
    await other.page.getByRole('button', { name: 'Use a recovery code' }).click();
    await other.page.getByLabel('Recovery code').fill(codes[0]!);
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await other.page.getByText('wrong or was already used').waitFor();
    await other.page.getByLabel('Recovery code').fill(renewed[0]!);
    await other.page.getByRole('button', { name: 'Continue' }).click();
    await other.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    for (const each of [viewer, other]) await each.close();
  });

  test('is demanded by an account in place of its pages; then they open', async () => {
    const account = await openAccount(portal, 'Ejemplo, S. A. de C. V.');
    const owner = await portal.follow(await account.link('olga@example.com', 'owner'));
    // Nobody who came by a link is left without a way back.
    await owner.page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor();
    await owner.page.getByLabel('New password').fill(PASSWORD);
    await owner.page.getByRole('button', { name: 'Set password' }).click();
    await owner.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await owner.visit('/account');
    const require = owner.page.getByRole('button', { name: 'Require a second factor' });
    await require.waitFor();
    expect(await require.getAttribute('aria-disabled')).toBe('true');
    await owner.page.getByRole('link', { name: 'Set up your own first' }).click();
    await setUp(owner);
    await owner.visit('/account');
    await owner.page.getByRole('button', { name: 'Require a second factor' }).click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByText('Everybody has one already.').waitFor();
    await dialog.getByRole('button', { name: 'Require a second factor' }).click();
    await owner.page.getByText('Required of everybody').waitFor();

    const member = await portal.follow(await account.link('raul@example.com', 'developer'));
    await member.page.getByRole('link', { name: 'Not now' }).click();
    await member.page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor();
    await member.visit('/messages');
    await member.page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor();
    await setUp(member);
    await member.page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    for (const { watch, close } of [owner, member]) {
      expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
      await close();
    }
  });
});
