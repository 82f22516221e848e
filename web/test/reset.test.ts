import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, signInBy } from './support/people.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { ownHeaders } from './support/sessions.ts';

const NEW_PASSWORD = 'cinco perros azules';
/** As the server counts: in 15 minutes, per person and per network (failures). */
const FAILURES_MAX = 10;

describe.skipIf(!hasBrowser)('a password that is lost or guessed (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  test('is reset by the mail in the test mailbox; other sessions end, and the link is good once', async () => {
    const viewer = await portal.asViewer();
    const { request } = viewer.page;
    const { user } = await (await request.get(`${portal.base}/v1/portal/session`)).json();
    await request.put(`${portal.base}/v1/portal/password`, {
      data: { password: PASSWORD },
      headers: ownHeaders(portal.base),
    });

    const { page, visit, watch, close } = await portal.asStranger();
    const ask = async (email: string) => {
      await visit('/sign-in');
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByRole('heading', { level: 1, name: 'Reset your password' }).waitFor();
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      return page.getByRole('status').filter({ hasText: 'on its way' }).innerText();
    };
    // Nobody learns who has a user.
    expect(await ask('nobody@example.com')).toBe(await ask(user.email));

    await page.goto(`${portal.base}/sandbox/mailbox#${portal.server.sandbox!['api_key']}`);
    await page.getByText('Set a new password').first().waitFor();
    const link = await portal.mailedLink(user.email);
    expect(new URL(link).pathname).toBe('/portal/password');
    await page.goto(link);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect((await request.get(`${portal.base}/v1/portal/session`)).status()).toBe(401);
    await page.goto(link);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('already used').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });

    const back = await signInBy(portal, user.email, NEW_PASSWORD);
    await back.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    for (const each of [back, viewer]) await each.close();
    await close();
  });

  test('is guessed ten times; then the form says how long to wait', async () => {
    const { page, visit, close } = await portal.asStranger();
    await visit('/sign-in');
    await page.getByLabel('Email address').fill('guessed@example.com');
    const button = page.getByRole('button', { name: 'Sign in' });
    for (let failures = 0; failures < FAILURES_MAX; failures++) {
      const answer = await page.request.post(`${portal.base}/v1/portal/session`, {
        data: { email: 'guessed@example.com', password: `a guess ${failures}` },
        headers: ownHeaders(portal.base),
      });
      expect(answer.status()).toBe(401);
    }
    await page.getByLabel('Password', { exact: true }).fill('guessed once more');
    await button.click();
    await page.getByText(/Too many attempts\. Try again in \d+ seconds\./).waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('guessed@example.com');
    await close();
  });
});
