import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressUntil } from './support/press.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FORMS = ['curl', 'TypeScript', 'Python', 'Go', 'Rust', 'Java', 'PHP', 'Ruby'];
/** Without double quotes, which end a subject in the search field. */
const HOSTILE = `it's #{x} \${x} $x \\ <b> %s`;

/** That each language's code asks for what it says is checked in sdks/generate/snippets/check.mjs. */
describe.skipIf(!hasBrowser)('the same as code in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  let folder: string;
  beforeAll(async () => {
    portal = await startPortal();
    folder = mkdtempSync(join(tmpdir(), 'acuse-code-'));
    await build({
      // The built package that people install: the test runs it, as they do.
      entryPoints: [join(ROOT, 'sdks/typescript/src/index.ts')],
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
      outfile: join(folder, 'client.mjs'),
    });
    await portal.send({ subject: HOSTILE });
    await portal.send({ subject: 'Another' });
  });
  afterAll(async () => {
    await portal?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (page: Page, title = 'The same as code') => {
    const dialog = page.getByRole('dialog');
    await pressUntil(page.getByRole('button', { name: title }), dialog.getByRole('combobox'));
    return dialog;
  };

  test('the program that is shown asks for the rows on screen', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/messages?${new URLSearchParams({ q: `subject:"${HOSTILE}"` })}`);
    await page.getByRole('row', { name: /it's/ }).first().waitFor();
    const rows = await page.locator('tbody tr').evaluateAll((all) => all.map((row) => row.dataset['row']));
    expect(rows).toHaveLength(1);
    const dialog = await open(page);
    await dialog.getByLabel('Language').selectOption('TypeScript');
    const blocks = await dialog.locator('pre').allInnerTexts();
    expect(blocks.at(-2)).toBe(`export ACUSE_URL=${new URL(page.url()).origin} ACUSE_API_KEY=acuse_…`);
    const list = blocks.find((each) => each.includes('acuse.messages.list('))!;
    const program = `${blocks.at(-1)}\n${list}`
      .replace('@acuse/client', './client.mjs')
      .replace('console.log(item)', 'console.log(item.id)');
    writeFileSync(join(folder, 'program.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')], {
      env: { ACUSE_URL: portal.base, ACUSE_API_KEY: String(portal.server.sandbox!['api_key']) },
    });
    expect(stdout.trim().split('\n')).toEqual(rows);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('every call of a page has its code in every language, and the choice is kept', async () => {
    const { page, visit, close } = await portal.asOwner();
    for (const path of [
      '/messages',
      '/domains',
      '/suppressions',
      '/templates',
      '/webhooks',
      '/keys',
      '/rates',
    ]) {
      await visit(path);
      const dialog = await open(page);
      const select = dialog.getByLabel('Language');
      expect(await select.locator('option').allInnerTexts()).toEqual(FORMS);
      for (const name of FORMS) {
        await select.selectOption(name);
        expect(await dialog.getByText(/· curl$/).count()).toBe(0);
        expect(await dialog.locator('pre').count()).toBeGreaterThan(name === 'curl' ? 0 : 2);
      }
      await page.keyboard.press('Escape');
    }
    await page.reload();
    expect(await (await open(page)).getByLabel('Language').inputValue()).toBe('ruby');
    await page.keyboard.press('Escape');
    // /docs is at the same address, and shows the same language.
    await page.goto(`${portal.base}/docs/api/messages`);
    expect(await page.locator('#getMessage [aria-selected=true]').innerText()).toBe('Ruby');
    await close();
  });

  test('a send is shown with its idempotency key', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/messages');
    await page.evaluate(() => localStorage.removeItem('acuse.code'));
    const draft = { name: 'welcome', subject: 'Hello', text: 'Hello.' };
    const { body } = await portal.api('POST', '/v1/templates', draft);
    await visit(`/templates/${body.id}?tab=use`);
    await page.getByText(`-H 'Idempotency-Key: order-1001'`).waitFor();
    await page.getByLabel('Language', { exact: true }).last().selectOption('Go');
    await page.getByText('result, err := c.Messages.Send(ctx, acuse.Send{').waitFor();
    await close();
  });

  test('in Spanish as well, on a small screen', async () => {
    const { page, visit, close } = await portal.asOwner({
      ...{ locale: 'es-MX', viewport: { width: 320, height: 700 } },
    });
    await visit('/messages');
    const dialog = await open(page, 'Lo mismo en código');
    await dialog.getByLabel('Lenguaje').selectOption('Java');
    await dialog.getByText('var acuse = Acuse.fromEnv();').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await close();
  });

  describe('an example of /docs', () => {
    const figure = (page: Page, operation: string) => page.locator(`#${operation} figure[data-run]`).first();
    const press = (page: Page, operation: string) =>
      figure(page, operation).getByRole('button', { name: 'Run in sandbox' }).click();
    const result = (page: Page, operation: string) => page.locator(`#${operation} [role=status]`).first();

    test('runs in the sandbox of who is signed in, and sends anew each time', async () => {
      const { page, visit, close } = await portal.asOwner();
      await visit(`${portal.base}/docs/api/messages`);
      const ids: string[] = [];
      for (let time = 0; time < 2; time++) {
        await press(page, 'sendMessage');
        await expect.poll(() => result(page, 'sendMessage').innerText()).toMatch(/Answer 201/);
        ids.push(/"id": "([^"]+)"/.exec(await result(page, 'sendMessage').innerText())![1]!);
        await figure(page, 'sendMessage').evaluate((it) => it.nextElementSibling!.replaceChildren());
      }
      expect(new Set(ids).size).toBe(2);
      await press(page, 'listMessages');
      await expect.poll(() => result(page, 'listMessages').innerText()).toContain(ids[1]!);
      await close();
    });

    test('asks a stranger to sign in, and sends nothing', async () => {
      const { page, visit, close } = await portal.asStranger();
      await visit(`${portal.base}/docs/api/messages`);
      await press(page, 'sendMessage');
      await expect.poll(() => result(page, 'sendMessage').innerText()).toMatch(/^Sign in to the portal/);
      await close();
    });

    test('every one that offers it is a route of the portal, too', async () => {
      const { page, visit, close } = await portal.asOwner();
      await visit(`${portal.base}/docs/api`);
      const pages = await page
        .locator('#menu a[href^="/docs/api/"]')
        .evaluateAll((all) => [...new Set(all.map((it) => it.getAttribute('href')!.split('#')[0]!))]);
      const failed: string[] = [];
      let tried = 0;
      for (const path of pages) {
        await visit(`${portal.base}${path}`);
        for (const each of await page.locator('figure[data-run]').all()) {
          tried++;
          await each.getByRole('button', { name: 'Run in sandbox' }).click();
          const status = each.locator('xpath=following-sibling::*[1]');
          await expect.poll(() => status.innerText()).toMatch(/\w/);
          const text = await status.innerText();
          if (!/Answer 20[01]/.test(text)) failed.push(text);
        }
      }
      expect([failed, tried > 8]).toEqual([[], true]);
      await close();
    });
  });
});
