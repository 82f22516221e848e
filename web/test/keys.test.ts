import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)('API keys (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const asks = (key: string) =>
    fetch(`${portal.base}/v1/messages`, { headers: { authorization: `Bearer ${key}` } });

  test('a key is made, shown once, works, and is refused once revoked', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Invoices, production');
    await dialog.getByRole('checkbox', { name: /^messages:send/ }).uncheck();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'The new key' });
    const key = await shown.locator('pre').first().innerText();
    expect((await asks(key)).status).toBe(200);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await shown.getByRole('button', { name: 'Copy API key' }).click();
    // Inside of the dialog: beneath it, it would be covered, and silent.
    await shown.getByText('Copied', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(key);

    const row = page.getByRole('row').filter({ hasText: 'Invoices, production' });
    expect(await row.innerText()).toContain('evidence:read');
    expect(await row.innerText()).not.toContain('messages:send');
    await row.getByRole('button', { name: 'Revoke Invoices, production' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await asks(key)).status).toBe(401);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a key whose messages a person approves says so, and sends nothing by itself', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Agent');
    await dialog.getByText('Narrow the key').click();
    await dialog.getByRole('checkbox', { name: 'A person approves each message' }).check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'The new key' });
    const key = await shown.locator('pre').first().innerText();
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Agent' });
    expect(await row.innerText()).toContain('A person approves each message before it is sent');
    const answer = await fetch(`${portal.base}/v1/messages`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': 'agent-1',
      },
      body: JSON.stringify({ from: 'a@sandbox.test', to: 'b@sandbox.test', subject: 'Hi', text: 'Hi' }),
    });
    expect(await answer.text()).toContain('approval_required');
    await close();
  });

  test('a key leads to the messages that it sent, and the list names it', async () => {
    const made = (name: string) => portal.api('POST', '/v1/api-keys', { name, scopes: ['messages:send'] });
    const { id, key } = (await made('Ordering agent')).body;
    const sent = await fetch(`${portal.base}/v1/messages`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': 'order-77',
      },
      body: JSON.stringify({ from: 'a@sandbox.test', to: 'b@sandbox.test', subject: 'Order 77', text: 'Hi' }),
    });
    expect(sent.status).toBe(201);
    await portal.send({ subject: 'By another key' });
    // The use of a key is written a moment later.
    await expect
      .poll(async () => {
        const { data } = (await portal.api('GET', '/v1/api-keys')).body;
        return data.find((each: { id: string }) => each.id === id).last_used_at;
      })
      .not.toBeNull();
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/keys');
    const row = page.getByRole('row').filter({ hasText: 'Ordering agent' });
    await row.getByRole('link', { name: 'Messages it sent' }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await page.getByRole('row', { name: /Order 77/ }).waitFor();
    expect(await page.getByText('By another key').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('api_key')).toBe(id);
    await page.getByRole('button', { name: 'API key Ordering agent' }).click();
    await page.getByRole('row', { name: /By another key/ }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('others read who manages keys, and the button says why it does nothing', async () => {
    const { page, visit, watch, close } = await portal.asDeveloper();
    await visit('/keys');
    await page.getByText('Owners of the account manage its keys').waitFor();
    const button = page.getByRole('button', { name: 'Create key' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await pressAnyway(button);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
