import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD } from './support/people.ts';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('signing in to the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  test('who comes by a link is led to set a password, and signs in with it; who forgot it reads what to do', async () => {
    const { page, visit, watch, close } = await portal.asStranger({ console: true });
    await page.goto(String(portal.server.sandbox!['admin_sign_in']));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor();
    await page.getByText('Until then, each sign-in needs a new link.').waitFor();
    await page.getByRole('link', { name: 'Not now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await visit('/password');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'You: Admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();

    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByText('For the operators of this installation.').waitFor();
    await page.getByText('Forgot your password?').click();
    expect(await page.getByText('acuse operators link').isVisible()).toBe(true);
    await page.getByLabel('Email address').fill('admin@localhost');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
