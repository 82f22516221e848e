import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal, type Visitor } from './support/portal.ts';

/** Fits the rules, and is nobody's. */
const PASSWORD = 'cuatro gatos verdes';
const STEP_MS = 30_000;

describe.skipIf(!hasBrowser)('an operator on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  /** A console that other machines could reach. */
  let guarded: Portal;
  beforeAll(async () => {
    [portal, guarded] = await Promise.all([
      startOwnPortal(),
      startOwnPortal({ ACUSE_ADMIN_HOST: '0.0.0.0' }),
    ]);
  });
  afterAll(() => Promise.all([portal?.stop(), guarded?.stop()]));

  const clean = { violations: [], foreign: [], faults: [] };

  /** A code of the app, so many steps of 30 s from now: each is good once. */
  function codeOf(secret: string, stepsAhead = 0): string {
    const totp = new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')), algorithm: 'SHA1' });
    return totp.generate({ timestamp: Date.now() + stepsAhead * STEP_MS });
  }

  /** Scans, types the first code, keeps the recovery codes. */
  async function setUp({ page }: Visitor): Promise<{ secret: string; codes: string[] }> {
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.locator('code').first().innerText();
    const code = dialog.getByLabel('The six digits that the app shows');
    await code.fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('This code is wrong.').waitFor();
    expect(
      await dialog.getByRole('img').evaluate((image) => (image as HTMLImageElement).naturalWidth),
    ).toBeGreaterThan(0);
    await code.fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const kept = page.getByRole('list', { name: 'Recovery codes' });
    await kept.waitFor();
    const codes = await kept.getByRole('listitem').allInnerTexts();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    return { secret, codes: codes.map((each) => each.trim()) };
  }

  async function execute(text: string, values: unknown[] = []) {
    const client = new pg.Client(portal.databaseUrl);
    await client.connect();
    try {
      await client.query('set role acuse_sessions');
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  test('profile, password, second factor: kept, asked for, and what ten minutes ago was shown is asked again', async () => {
    const visitor = await portal.asOperator();
    const { page, visit, watch, close } = visitor;
    await visit('/');
    await page.getByRole('button', { name: /^You: / }).click();
    await page.getByRole('menuitem', { name: 'Profile and sign-in' }).click();
    await page.getByRole('heading', { level: 1, name: 'You' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Ana López');
    await page.getByLabel('Email address').fill('ana@example.com');
    await page.getByRole('button', { name: 'Save profile' }).click();
    await page.getByText('You sign in as ana@example.com.').waitFor();
    await page.getByRole('button', { name: 'You: Ana López' }).waitFor();

    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByRole('dialog').getByLabel('New password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Set a password' }).click();
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    const { secret, codes } = await setUp(visitor);
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'Turn off' }).waitFor();

    await execute("update operator_sessions set authenticated_at = now() - interval '11 minutes'");
    await page.getByLabel('Name', { exact: true }).fill('Ana L.');
    await page.getByRole('button', { name: 'Save profile' }).click();
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await asked.getByLabel('Password').fill('wrong');
    await asked.getByRole('button', { name: 'Continue' }).click();
    await asked.getByRole('alert').waitFor();
    await asked.getByLabel('Password').fill(PASSWORD);
    await asked.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'You: Ana L.' }).waitFor();

    const elsewhere = await portal.asStranger({ console: true });
    await elsewhere.visit('/sign-in');
    await elsewhere.page.getByLabel('Email address').fill('ana@example.com');
    await elsewhere.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await elsewhere.page.getByRole('button', { name: 'Continue' }).click();
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await visit('/you');
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await page.getByText('All other sessions have ended.').waitFor();
    await elsewhere.page.reload();
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off second factor' }).click();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    expect([watch, elsewhere.watch]).toEqual([clean, clean]);
    await elsewhere.close();
    await close();
  });

  test('where others could reach the console, the first sign-in sets up the second factor', async () => {
    const stranger = await guarded.asStranger({ console: true });
    const { page, visit, watch, close } = stranger;
    await page.goto(String(guarded.server.sandbox!['admin_sign_in']));
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('its operators need a second factor').waitFor();
    const { codes } = await setUp(stranger);
    // Nobody who came by a link is left without a way back.
    await page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await visit('/you');
    const turnOff = page.getByRole('button', { name: 'Turn off' });
    expect(await turnOff.getAttribute('title')).toContain('operators of this installation need');
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    await page.getByRole('button', { name: /^You: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByLabel('Email address').fill('admin@localhost');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[0]!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'You' }).waitFor();
    expect(watch).toEqual(clean);
    await close();
  });
});
