import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)('accounts on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('an account is made, its first owner gets a link, and the link opens the portal', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/tenants');
    await page.getByRole('button', { name: 'New account' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Create account' }).click();
    await form.getByText('Enter a name.').waitFor();
    await form.getByLabel('Name').fill('Notaría 12');
    await form.getByLabel('Price, certified').fill('1.505');
    await form.getByRole('button', { name: 'Create account' }).click();
    await form.getByText('Enter an amount with at most two decimals, such as 0.05.').waitFor();
    await form.getByLabel('Price, certified').fill('1.5');
    await form.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notaría 12' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/tenants\/[0-9a-f-]{36}\/people$/);

    await page.getByRole('button', { name: 'Make a sign-in link' }).click();
    await form.getByLabel('Email address').fill('luz@example.com');
    await form.getByRole('button', { name: 'Make a sign-in link' }).click();
    const shown = page.getByRole('dialog', { name: 'Hand this link over' });
    const link = await shown.locator('pre').innerText();
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(link);
    await page.getByRole('row', { name: /luz@example\.com.*Owner/ }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).last().click();
    await page.getByRole('row', { name: /Made a sign-in link luz@example\.com Role: owner/ }).waitFor();
    expect(watch).toEqual(clean);

    const owner = await portal.asStranger();
    await owner.page.goto(link);
    await owner.page.locator('main button').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor();
    await owner.page.getByRole('link', { name: 'Not now' }).click();
    await owner.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await owner.close();
    await close();
  });

  test('the list is found again by its address, by a part of a name and by state', async () => {
    const { page, visit, close } = await portal.asOperator();
    await visit('/tenants?q=notar%C3%ADa');
    await page.getByRole('row', { name: /Notaría 12 Active 10,000 at MX\$1\.50 each/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('State').selectOption('suspended');
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('suspended');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /Sandbox/ }).waitFor();
    await close();
  });

  test('the search of the console finds an account by a part of its name', async () => {
    const { page, visit, close } = await portal.asOperator();
    await visit('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('notar');
    await page.getByRole('option', { name: /Notaría 12/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Notaría 12' }).waitFor();
    await close();
  });

  test('an edit says what changes, before and after, and sends only that', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/tenants?q=Notar');
    await page.getByRole('link', { name: 'Notaría 12' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog');
    const save = (name: string) => form.getByRole('button', { name });
    expect(await save('Save changes').getAttribute('title')).toBe('nothing was changed.');
    await form.getByLabel('Certified per month').fill('25,000');
    await form.getByLabel('Price, plain').fill('0.02');
    const changes = form.getByLabel('What changes');
    expect(await changes.innerText()).toMatch(/Certified per month\s+Before:\s+10,000\s+After:\s+25,000/);
    expect(await changes.innerText()).toMatch(/Price, plain\s+Before:\s+MX\$0\.00\s+After:\s+MX\$0\.02/);
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save('Save 2 changes').click();
    expect((await sent).postDataJSON()).toEqual({
      quota_messages_month: 25_000,
      price_per_plain_message_cents: 2,
    });
    await page.getByText('/ 25,000').waitFor();
    expect(watch).toEqual(clean);
    await close();
  });

  test('suspending names what is affected, asks for the name, holds for keys, and is undone', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    const id = String(portal.server.sandbox!['tenant_id']);
    const status = async () => (await portal.api('GET', '/v1/account')).status;
    await visit(`/tenants/${id}`);
    await page.getByRole('button', { name: 'Suspend…' }).click();
    const asked = page.getByRole('dialog');
    await asked.getByText('API keys that stop working: 1').waitFor();
    await asked.getByText('People who can no longer use the portal: 1').waitFor();
    await asked.getByRole('button', { name: 'Suspend account' }).click();
    await asked.getByText('This is not the name of the account.').waitFor();
    expect(await status()).toBe(200);
    await asked.getByLabel('Name of the account').fill('Sandbox');
    await asked.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByText('Suspended: every request').waitFor();
    expect(await status()).toBe(403);
    await page.getByRole('button', { name: 'Reopen account' }).click();
    await page.getByRole('button', { name: 'Suspend…' }).waitFor();
    expect(await status()).toBe(200);
    expect(watch).toEqual(clean);
    await close();
  });

  test('what waits is seen without reloading; a pause says who and why', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit(`/tenants/${portal.server.sandbox!['tenant_id']}/queue`);
    await page.getByText('No messages waiting').waitFor();
    await portal.send({ to: 'greylisted@sandbox.test' });
    await page.getByRole('row', { name: /sandbox\.test 0 0 1/ }).waitFor();
    await page.getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('dialog').getByLabel('Why').fill('ticket 4711');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/^Paused on .* by .*: ticket 4711$/).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause…' }).waitFor();
    expect(watch).toEqual(clean);
    await close();
  });

  test('an operator vouches for a domain, and revokes a key', async () => {
    await portal.api('POST', '/v1/domains', { name: 'example.org' });
    const made = await portal.api('POST', '/v1/api-keys', { name: 'Leaked', scopes: ['evidence:read'] });
    expect(made.status).toBe(201);
    const asks = () =>
      fetch(`${portal.base}/v1/account`, { headers: { authorization: `Bearer ${made.body.key}` } });
    const { page, visit, watch, close } = await portal.asOperator();
    await visit(`/tenants/${portal.server.sandbox!['tenant_id']}/domains`);
    const row = page.getByRole('row').filter({ hasText: 'example.org' });
    await row.getByRole('button', { name: 'Vouch…' }).click();
    await page.getByRole('dialog').getByText('_acuse-challenge.example.org').waitFor();
    await page.getByRole('button', { name: 'Vouch for domain' }).click();
    await row.filter({ hasText: 'Verified' }).waitFor();

    await page.getByRole('link', { name: 'API keys' }).click();
    expect((await asks()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke Leaked' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('row', { name: /Leaked/ }).waitFor({ state: 'detached' });
    expect((await asks()).status).toBe(401);
    expect(watch).toEqual(clean);
    await close();
  });

  test('support reads all of it, and the buttons say what they lack', async () => {
    const { page, visit, watch, close } = await portal.asSupport();
    await visit(`/tenants/${portal.server.sandbox!['tenant_id']}/rates?days=7`);
    for (const name of ['Edit', 'Suspend…'])
      expect(await page.getByRole('button', { name }).getAttribute('title')).toContain('the role admin');
    await pressAnyway(page.getByRole('button', { name: 'Edit' }));
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(watch).toEqual(clean);
    await close();
  });
});
