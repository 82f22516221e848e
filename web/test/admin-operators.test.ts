import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('operators on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('an operator is added with a link that works, changes roles, and is removed', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/operators');
    const self = page.getByRole('row').filter({ hasText: 'you' });
    const change = self.getByRole('button', { name: /^Change the role of/ });
    expect(await change.getAttribute('title')).toContain('there is always an admin');

    await page.getByRole('button', { name: 'Add an operator' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Email address').fill('sara');
    await form.getByRole('button', { name: 'Add an operator' }).click();
    await form.getByText('Enter an email address').waitFor();
    await form.getByLabel('Email address').fill('sara@example.com');
    await form.getByLabel('Name').fill('Sara');
    await form.getByRole('button', { name: 'Add an operator' }).click();
    const shown = page.getByRole('dialog', { name: 'Hand this link over' });
    const link = await shown.locator('pre').innerText();
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'sara@example.com' });
    await row.filter({ hasText: 'Support' }).waitFor();

    const sara = await portal.asStranger({ console: true });
    await sara.page.goto(link);
    await sara.page.locator('main button').click();
    await sara.page.getByRole('heading', { level: 1, name: 'Set a password' }).waitFor();
    await sara.page.getByRole('link', { name: 'Not now' }).click();
    await sara.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await sara.visit('/operators');
    const add = sara.page.getByRole('button', { name: 'Add an operator' });
    expect(await add.getAttribute('title')).toContain('the role admin');

    await row.getByRole('button', { name: 'Change the role of Sara' }).click();
    await form.getByLabel('Role').selectOption('admin');
    await form.getByRole('button', { name: 'Save role' }).click();
    await row.filter({ hasText: 'Admin' }).waitFor();
    await row.getByRole('button', { name: 'Remove Sara' }).click();
    await form.getByRole('button', { name: 'Remove operator' }).click();
    await row.waitFor({ state: 'detached' });
    await sara.page.reload();
    await sara.page.getByLabel('Password').waitFor();
    expect(watch).toEqual(clean);
    await sara.close();
    await close();
  });
});
