import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAccount } from './support/people.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('somebody of several accounts (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('chooses one; pages show that one’s data, after a reload as well', async () => {
    await portal.send({ subject: 'Of the sandbox' });
    const viewer = await portal.asViewer();
    const { page, visit, watch, close } = viewer;
    const { user } = await (await page.request.get(`${portal.base}/v1/portal/session`)).json();
    const account = await openAccount(portal, 'Ejemplo, S. A. de C. V.');
    // Made by the operator for an address that is known: a member at once.
    await account.link(user.email, 'owner');

    await visit('/messages');
    await page.getByRole('row').filter({ hasText: 'Of the sandbox' }).waitFor();
    await page.getByRole('button', { name: 'Sandbox' }).click();
    await page.getByRole('menuitemradio', { name: 'Ejemplo, S. A. de C. V. · Owner' }).click();
    await page.getByRole('row').filter({ hasText: 'Of the sandbox' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Ejemplo, S. A. de C. V.' }).waitFor();
    // The role is that account's: owners manage people, viewers do not.
    await visit('/people');
    await page.getByRole('row').filter({ hasText: user.email }).waitFor();
    expect(await page.getByRole('button', { name: 'Invite somebody' }).getAttribute('aria-disabled')).toBe(
      null,
    );

    await visit('/you');
    await page.getByRole('row').filter({ hasText: 'Ejemplo' }).getByText('open now').waitFor();
    await page.getByRole('button', { name: 'Work in Sandbox' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await visit('/people');
    await page.getByText('Owners of the account manage its people').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
