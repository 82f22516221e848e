import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

const PASSWORD = 'cuatro gatos verdes';

describe.skipIf(!hasBrowser)('passkeys (skipped: needs chromium)', () => {
  let portal: Portal;
  /** Browsers keep passkeys for names alone. */
  let named: string;
  beforeAll(async () => {
    portal = await startPortal();
    named = portal.base.replace('127.0.0.1', 'localhost');
  });
  afterAll(() => portal?.stop());

  /** A device that its owner unlocks, as the browser simulates one. */
  async function giveDevice({ context, page }: Visitor): Promise<void> {
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  }

  /** Somebody with a password who works under the name, and has a device. */
  async function viewer(): Promise<Visitor & { email: string }> {
    const visitor = await portal.asViewer();
    const cookies = await visitor.context.cookies();
    await visitor.context.addCookies(cookies.map((each) => ({ ...each, domain: 'localhost' })));
    await giveDevice(visitor);
    const headers = { origin: named, 'sec-fetch-site': 'same-origin' };
    const data = { password: PASSWORD };
    const answer = await visitor.page.request.put(`${named}/v1/portal/password`, { data, headers });
    expect(answer.status()).toBe(204);
    const session = await visitor.page.request.get(`${named}/v1/portal/session`);
    return { ...visitor, email: (await session.json()).user.email };
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.goto(`${named}/portal/you`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Continue' }).click();
  }

  test('added, it signs in alone, confirms a change, and is a second factor after the password', async () => {
    const person = await viewer();
    const { page, context } = person;
    await addPasskey(page, 'My laptop');
    const codes = page.getByRole('dialog', { name: 'Keep these recovery codes' });
    await codes.waitFor();
    expect(await codes.getByRole('listitem').count()).toBe(10);
    await codes.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('My laptop', { exact: true }).waitFor();

    await context.clearCookies();
    await page.goto(`${named}/portal/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

    await page.goto(`${named}/portal/you`);
    await page.route('**/user/passkeys/*', (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 'reauthentication_required', message: 'Confirm who you are.' } },
      }),
    );
    await page.getByRole('button', { name: 'Remove My laptop' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.waitFor();
    await page.unroute('**/user/passkeys/*');
    await confirm.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'No passkey yet' }).waitFor();

    await addPasskey(page, 'Another');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await context.clearCookies();
    await page.goto(`${named}/portal/sign-in`);
    await page.getByLabel('Email address').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
    await signIn.click();
    // Until the password is judged there is another button of this name, which needs none.
    await signIn.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await person.close();
  });

  test('a device that has none says so, and the form stays', async () => {
    const stranger = await portal.asStranger();
    const { page } = stranger;
    await giveDevice(stranger);
    await page.goto(`${named}/portal/sign-in`);
    await page.getByLabel('Email address').fill('ana@example.com');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('ana@example.com');
    await stranger.close();
  });

  test('under an address the button stays, and says why there are none', async () => {
    const { page, visit, close } = await portal.asStranger();
    await visit('/sign-in');
    const button = page.getByRole('button', { name: 'Use a passkey' });
    await button.focus();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('passkeys need a name in the address').waitFor({ state: 'attached' });
    await close();
  });

  test('it is renamed, and a second device brings no new recovery codes', async () => {
    const person = await viewer();
    const { page } = person;
    await addPasskey(page, 'Laptop');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Office');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Office', { exact: true }).waitFor();
    // The same device is not asked to make a second one.
    await addPasskey(page, 'Again');
    await page.getByText('This device has a passkey for you already.').waitFor();
    await person.close();
  });
});
