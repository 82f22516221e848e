import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)('people (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('refuse an invitation by the page that its mail names, without signing in', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/people');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('not-me@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    const row = page.getByRole('row').filter({ hasText: 'not-me@example.com' });
    await row.waitFor();
    const link = await portal.mailedLink('not-me@example.com');
    const stranger = await portal.asStranger();
    await stranger.page.goto(link.replace('/link#', '/refuse#'));
    await stranger.page.getByRole('button', { name: 'Refuse and block more invitations' }).click();
    await stranger.page.getByText('This account cannot invite your address again').waitFor();
    await stranger.close();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('not-me@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('refused an invitation of this account').waitFor();
    await close();
  });

  test('from Home: invited by mail, seen to come without a reload, given another role, removed', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    await page.getByRole('main').getByRole('link', { name: 'Invite somebody' }).click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await dialog.getByText('Enter an email address').waitFor();
    await dialog.getByLabel('Email address').fill('luis@example.com');
    await dialog.getByRole('radio', { name: 'Viewer' }).check();
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('The invitation went to luis@example.com by mail.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'luis@example.com' });
    await row.getByText('Invited').waitFor();
    expect(await row.innerText()).toMatch(/Viewer[\s\S]*link until/);

    // Again: the first link is good no longer.
    const first = await portal.mailedLink('luis@example.com');
    await row.getByRole('button', { name: 'Invite luis@example.com again' }).click();
    await dialog.getByRole('button', { name: 'Invite again' }).click();
    await dialog.waitFor({ state: 'detached' });
    const stranger = await portal.asStranger();
    await stranger.page.goto(first);
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByRole('alert').getByText('already used').waitFor();
    await stranger.close();

    const luis = await portal.follow(await portal.mailedLink('luis@example.com'));
    await luis.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await row.getByText('Active').waitFor();

    await row.getByRole('button', { name: 'Change the role of luis@example.com' }).click();
    await dialog.getByRole('radio', { name: 'Developer' }).check();
    await dialog.getByRole('button', { name: 'Save role' }).click();
    await row.getByText('Developer').waitFor();
    await luis.visit('/messages');
    await luis.page.getByRole('button', { name: 'Send a test' }).first().click();
    await luis.page.getByRole('dialog').waitFor();

    await row.getByRole('button', { name: 'Remove luis@example.com' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await luis.visit('/');
    await luis.page.getByText('belong to no account').waitFor();
    await luis.close();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the last owner stays, and the buttons say why', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/people');
    const row = page.getByRole('row').filter({ hasText: 'you' });
    const button = row.getByRole('button', { name: /^Remove/ });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await pressAnyway(button);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await button.getAttribute('title')).toContain('at least one owner');
    await close();
  });

  test('somebody who belongs to the account already is named before anything is sent', async () => {
    const viewer = await portal.asViewer();
    const { user } = await (await viewer.page.request.get(`${portal.base}/v1/portal/session`)).json();
    const { page, visit, close } = await portal.asOwner();
    await visit('/people');
    await page.getByRole('row').filter({ hasText: user.email }).getByText('Active').waitFor();
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill(user.email.toUpperCase());
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await dialog.getByText('belongs to the account already').waitFor();
    await close();
    await viewer.visit('/people');
    await viewer.page.getByText('Owners of the account manage its people').waitFor();
    const invite = viewer.page.getByRole('button', { name: 'Invite somebody' });
    expect(await invite.getAttribute('aria-disabled')).toBe('true');
    await viewer.close();
  });

  test('a list that cannot be read says so, and is read again', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/v1/portal/members*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        headers: { 'Request-Id': '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11' },
        body: JSON.stringify({ error: { code: 'unavailable', message: 'The database is away.' } }),
      }),
    );
    await visit('/people');
    const alert = page.getByRole('alert');
    await alert.getByText('The database is away.').waitFor();
    expect(await alert.innerText()).toContain('01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11');
    await page.unroute('**/v1/portal/members*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').filter({ hasText: 'you' }).waitFor();
    await close();
  });

  test('where no mail can go, the link is shown once, to be handed over, and signs in', async () => {
    // The operator's list refuses mail to it.
    const operator = await portal.asOperator();
    const origin = new URL(String(portal.server.sandbox!['admin_url'])).origin;
    const refused = await operator.page.request.post(`${origin}/v1/admin/suppressions`, {
      data: { address: 'eva@example.com' },
      headers: { origin, 'sec-fetch-site': 'same-origin' },
    });
    expect(refused.status()).toBe(201);
    await operator.close();

    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/people');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address').fill('eva@example.com');
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    const shown = page.getByRole('dialog', { name: 'Hand this link over' });
    const link = await shown.locator('pre').innerText();
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(link);
    const eva = await portal.follow(link);
    await eva.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'eva@example.com' }).getByText('Active').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await eva.close();
    await close();
  });
});
