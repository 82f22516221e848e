import { eventually } from '@acuse/testkit/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEMPLATE } from './pages.mjs';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** Nobody is asked: requests to it are answered in the browser, which keeps their addresses. */
const REMOTE = 'https://images.evil.test';
const OVERLOADED = { error: { code: 'overloaded', message: 'The service is overloaded.' } };

describe.skipIf(!hasBrowser)('templates in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  let made = 0;
  async function create(fields: object = {}): Promise<string> {
    const name = `template ${++made}`;
    const { body } = await portal.api('POST', '/v1/templates', { ...TEMPLATE.created, name, ...fields });
    return body.id;
  }
  const read = async (id: string) => (await portal.api('GET', `/v1/templates/${id}`)).body;
  const frame = (page: Page) => page.frameLocator('iframe[title=Preview]');
  const source = (page: Page) => page.getByLabel('HTML with {{variables}}');
  const toast = (page: Page, text: string) => page.getByRole('status').getByText(text).first().waitFor();

  test('one is written, seen with test data while it is written, and saved', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/templates');
    await page.getByText('No templates yet').waitFor();
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('welcome');
    await page.getByLabel('Subject', { exact: true }).fill('Hello {{ name }}');
    await source(page).fill('<h1>Hello {{ name }}</h1>');
    await page.getByRole('button', { name: 'Add what is missing' }).click();
    await page.getByLabel('Test data').fill('{"name": "<Ana>"}');
    await frame(page).getByRole('heading', { name: 'Hello <Ana>' }).waitFor();
    await page.getByLabel('Preview', { exact: true }).getByText('Hello <Ana>').first().waitFor();
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { level: 1, name: 'welcome' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(await read(id)).toMatchObject({
      name: 'welcome',
      version: 1,
      subject: 'Hello {{ name }}',
      text: null,
      html: '<h1>Hello {{ name }}</h1>',
    });
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('row', { name: /welcome/ }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('what cannot be rendered is marked at its line, which a button selects', async () => {
    const html = '<p>{{ total }}</p>\n<p>{{ totl }}</p>';
    const id = await create({ html, text: 'Line 1\n{{ nombre }}' });
    const { page, visit, close } = await portal.asOwner();
    await visit(`/templates/${id}`);
    await page.getByLabel('Test data').fill('{"numero": 1, "total": 2}');
    const elsewhere = page.getByRole('alert').filter({ hasText: 'undefined variable: nombre' });
    await elsewhere.getByRole('button', { name: 'Plain text' }).click();
    await page.getByLabel('Plain text with {{variables}}').fill('Nothing');
    const problem = page.getByRole('alert').filter({ hasText: 'undefined variable: totl' });
    await problem.getByRole('button', { name: 'HTML' }).click();
    await problem.waitFor();
    expect(await problem.innerText()).toMatch(
      /Line 2, column \d+:\s+undefined variable: totl: did you mean total\?/,
    );
    expect(await page.locator('[class*=wrong]').innerText()).toBe('2');
    await problem.getByRole('button', { name: /^Line 2/ }).click();
    expect(await page.evaluate(() => getSelection()?.toString())).toMatch(/totl/);
    await source(page).fill('<p>{{ total }}</p>');
    await frame(page).getByText('2', { exact: true }).waitFor();
    expect(await problem.count()).toBe(0);
    await close();
  });

  test('a refused save shows the part and language that it is about, and keeps what was typed', async () => {
    const id = await create();
    const { page, visit, close } = await portal.asOwner();
    await visit(`/templates/${id}?language=en&part=text`);
    await page.getByLabel('Plain text with {{variables}}').fill('One\n{% if paid %}');
    await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('');
    await page.getByRole('button', { name: 'Save version' }).click();
    await page.getByRole('button', { name: /^Line 2/ }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Language', exact: true }).inputValue()).toBe('en');
    expect(await page.getByLabel('Plain text with {{variables}}').inputValue()).toBe('One\n{% if paid %}');
    expect((await read(id)).version).toBe(1);
    await close();
  });

  test('a language is added as a copy, translated, saved, and taken away again', async () => {
    const id = await create({ variants: {} });
    const { page, visit, close } = await portal.asOwner();
    await visit(`/templates/${id}`);
    await page.getByRole('button', { name: 'Add language' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Language tag').fill('english');
    await dialog.getByRole('button', { name: 'Add language' }).click();
    await dialog.getByText('Enter a language tag such as es or es-MX.').waitFor();
    await dialog.getByLabel('Language tag').fill('EN-us');
    await dialog.getByRole('button', { name: 'Add language' }).click();
    // The field of the language before has the same label.
    const chosen = page.getByRole('combobox', { name: 'Language', exact: true }).locator(':checked');
    await chosen.and(page.locator('[value="en-US"]')).waitFor({ state: 'attached' });
    await page.getByLabel('Subject', { exact: true }).fill('Your invoice {{ numero }}');
    await page.getByRole('button', { name: 'Save version' }).click();
    await toast(page, 'Version 2 was saved.');
    expect((await read(id)).variants['en-US'].subject).toBe('Your invoice {{ numero }}');
    await page.getByRole('button', { name: 'Remove language' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove language' }).click();
    await page.getByRole('button', { name: 'Save version' }).click();
    await toast(page, 'Version 3 was saved.');
    expect((await read(id)).variants).toEqual({});
    await close();
  });

  test('versions are compared line by line at an address of their own, and restored', async () => {
    const id = await create();
    await portal.api('PATCH', `/v1/templates/${id}`, TEMPLATE.changed);
    const { page, visit, close } = await portal.asOwner();
    await visit(`/templates/${id}?tab=versions`);
    const diff = page.getByRole('region', { name: 'Plain text · Default' });
    await diff.waitFor();
    expect((await diff.innerText()).split('\n').filter((line) => line !== '')).toEqual(
      expect.arrayContaining([expect.stringContaining('Gracias.')]),
    );
    expect(await page.getByRole('button', { name: 'Restore this version' }).getAttribute('title')).toBe(
      'it is the current version.',
    );
    await page.getByRole('link', { name: 'Version 1' }).click();
    await page.waitForURL(/tab=versions&version=1/);
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
    await toast(page, 'Version 1 was restored as version 3.');
    const { created } = TEMPLATE as { created: { subject: string; text: string } };
    expect(await read(id)).toMatchObject({ version: 3, subject: created.subject, text: created.text });
    await close();
  });

  test('a test message takes the saved version, a language and the test data', async () => {
    const id = await create();
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/templates/${id}`);
    await page.getByLabel('Test data').fill('{"numero": "A-1", "total": "$ 10"}');
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Language').selectOption('en');
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await dialog.getByRole('link', { name: 'Open the message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoice A-1' }).waitFor();
    await visit(`/templates/${id}?tab=use`);
    await page.getByRole('link', { name: 'Messages sent with it' }).click();
    await page.getByRole('row', { name: /Invoice A-1/ }).waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('hostile HTML asks nobody for anything; with leave its images are loaded, and nothing else', async () => {
    const id = await create({
      html: `<meta http-equiv="refresh" content="0;url=${REMOTE}/refresh"><link rel="stylesheet" href="${REMOTE}/style">
        <script src="${REMOTE}/script"></script><style>@import "${REMOTE}/import";</style>
        <form action="${REMOTE}/form"><button>Pay</button></form><iframe src="${REMOTE}/frame"></iframe>
        <img src="${REMOTE}/image.png" onerror="parent.document.title='broken'"><h1>Invoice</h1>`,
    });
    const { page, context, visit, watch, close } = await portal.asOwner();
    await context.route(`${REMOTE}/**`, (request) => request.fulfill({ status: 204 }));
    await visit(`/templates/${id}`);
    await frame(page).getByRole('heading', { name: 'Invoice' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await page.getByRole('button', { name: 'Load remote images' }).click();
    await eventually(() => watch.foreign.length > 0);
    await page.waitForLoadState('networkidle');
    expect([...new Set(watch.foreign.splice(0))]).toEqual([`${REMOTE}/image.png`]);
    expect(await page.title()).not.toBe('broken');
    await close();
  });

  test('what is not saved is asked about before it is lost, and what others save is said', async () => {
    const id = await create();
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    await page.clock.install();
    await visit(`/templates/${id}`);
    await page.getByLabel('Subject', { exact: true }).fill('Mine');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('link', { name: 'Editor' }).click();
    expect(await page.getByLabel('Subject', { exact: true }).inputValue()).toBe('Mine');
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
    await portal.api('PATCH', `/v1/templates/${id}`, { subject: 'Theirs' });
    await page.clock.runFor(16_000);
    await page.getByText(/Version 2 was saved meanwhile/).waitFor();
    expect(await page.getByLabel('Subject', { exact: true }).inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save version' }).click();
    await toast(page, 'Version 3 was saved.');
    expect((await read(id)).subject).toBe('Mine');
    await portal.api('PATCH', `/v1/templates/${id}`, { subject: 'Theirs again' });
    await page.clock.runFor(16_000);
    await eventually(
      async () => (await page.getByLabel('Subject', { exact: true }).inputValue()) === 'Theirs again',
    );
    await close();
  });

  test('a viewer sees the preview, may type nothing, and reads why nothing can be saved', async () => {
    const id = await create();
    const { page, visit, watch, close } = await portal.asViewer();
    await visit(`/templates/${id}`);
    await frame(page).getByRole('heading', { name: 'Factura numero' }).waitFor();
    expect(await source(page).getAttribute('readonly')).not.toBeNull();
    for (const name of ['Save version', 'Send a test', 'Delete template', 'Add language'])
      expect(await page.getByRole('button', { name }).getAttribute('title')).toMatch(
        /your role may read only/,
      );
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the preview is shown though the frame is ready before effects have run', async () => {
    const id = await create();
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    await delayEffects(page, 1000);
    await visit(`/templates/${id}`);
    await frame(page).getByRole('heading', { name: 'Factura numero' }).waitFor();
    await close();
  });

  test('a preview that the server had no time for is asked for again', async () => {
    const id = await create();
    const { page, visit, close } = await portal.asViewer();
    await page.route('**/templates/preview', (route) => route.fulfill({ status: 503, json: OVERLOADED }), {
      times: 2,
    });
    await visit(`/templates/${id}`);
    await frame(page).getByRole('heading', { name: 'Factura numero' }).waitFor();
    await close();
  });

  test('one is deleted once that was confirmed, though something was not saved', async () => {
    const id = await create();
    const { page, visit, close } = await portal.asOwner();
    await visit(`/templates/${id}`);
    await page.getByLabel('Subject', { exact: true }).fill('Mine');
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    expect((await portal.api('GET', `/v1/templates/${id}`)).status).toBe(404);
    await close();
  });

  test("an id that is none of the account's templates says so", async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.goto(`${portal.base}/portal/templates/0190a6c2-0000-7000-8000-000000000000`);
    await page.getByRole('heading', { level: 1, name: /^There is nothing here/ }).waitFor();
    await visit('/templates');
    await close();
  });
});
