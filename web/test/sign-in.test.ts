import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('signing in to the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('the link of the first run signs in by one button, and its secret leaves the address', async () => {
    const link = String(portal.server.sandbox!['portal_sign_in']);
    const { page, watch, close } = await portal.follow(link);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/portal\/?$/);
    await page.goBack();
    expect(page.url()).not.toContain('#');
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the same link again is refused, in words', async () => {
    const { page, close } = await portal.asStranger();
    await page.goto(String(portal.server.sandbox!['portal_sign_in']));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('already used').waitFor();
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await close();
  });

  test('without a session every page leads to signing in, and back to where it was', async () => {
    const { page, visit, close } = await portal.asStranger();
    await visit('/messages?status=bounced');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/messages?status=bounced');
    await close();
  });

  test('an empty form names its fields, a wrong password is refused, and what was typed stays', async () => {
    const { page, visit, close } = await portal.asStranger();
    await visit('/sign-in');
    const button = page.getByRole('button', { name: 'Sign in' });
    await button.click();
    await page.getByText('Enter an email address.').waitFor();
    await page.getByLabel('Email address').fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await button.click();
    await page.getByText('do not belong together').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('nobody@example.com');
    await close();
  });

  test('a sign-in page leads to no other site', async () => {
    const { page, close } = await portal.asOwner();
    await page.goto(`${portal.base}/portal/sign-in?next=//evil.test/`);
    await page.locator('h1').waitFor();
    expect(new URL(page.url()).origin).toBe(portal.base);
    await close();
  });

  test('a session that ends keeps the form: the dialog asks, and the call is made again', async () => {
    const { page, visit, context, close } = await portal.asOwner();
    await visit('/');
    const owner = await page.request.get(`${portal.base}/v1/portal/session`);
    const { user } = await owner.json();
    await page.request.put(`${portal.base}/v1/portal/password`, {
      data: { password: 'correct horse battery staple' },
      headers: { origin: portal.base, 'sec-fetch-site': 'same-origin' },
    });
    await visit('/messages');
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await page.getByLabel('Subject', { exact: true }).fill('Typed before the session ended');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Send message' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await dialog.getByLabel('Email address').inputValue()).toBe(user.email);
    await dialog.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Typed before the session ended' }).waitFor();
    await close();
  });
});
