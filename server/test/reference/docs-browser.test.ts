import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

/** /docs as a reader has it: real Chromium, the program and the style that the build made. */
describe.skipIf(chromiumPath === null)('/docs in a browser (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let base: string;
  beforeAll(async () => {
    service = await startTestService();
    base = await service.http.app.listen({ port: 0, host: '127.0.0.1' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** Everything that the page asked for and everything that went wrong on it is checked when it closes. */
  async function visit(path: string, look: (page: Page) => Promise<void>, width = 1280): Promise<void> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('request', (request) => request.url().startsWith(base) || wrong.push(request.url()));
    await page.goto(base + path);
    await look(page);
    await context.close();
    expect(wrong).toEqual([]);
  }

  const heading = (page: Page) => page.locator('h1').first().innerText();

  const said = (page: Page) => page.locator('dialog [aria-live]').innerText();

  test('search finds an operation, an error and a guide with the keyboard alone', async () => {
    const hits = [
      ['cancel a message', '/docs/api/messages#cancelMessage'],
      ['recipient_suppressed', '/docs/errors#recipient_suppressed'],
      ['sendBatch', '/docs/api/messages#sendBatch'],
      ['check the signatur', '/docs/webhooks#check-the-signature'],
      ['idempotncy missing', '/docs/errors#missing_idempotency_key'],
    ] as const;
    await visit('/docs', async (page) => {
      for (const [words, place] of hits) {
        await page.keyboard.press('/');
        await page.keyboard.type(words);
        await expect.poll(() => said(page)).toMatch(new RegExp(`results? for “${words}”$`));
        expect(await page.locator('#hits [aria-selected=true] a').getAttribute('href')).toBe(place);
        await page.keyboard.press('Enter');
        await page.waitForURL(base + place);
      }
    });
  });

  test('arrow keys choose another hit, Escape leaves, and nothing found says so', async () => {
    await visit('/docs/api', async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('webhook');
      await expect.poll(() => said(page)).toMatch(/^First \d+ results for “webhook”$/);
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('dialog input').getAttribute('aria-activedescendant')).toBe('hit-1');
      await page.keyboard.press('Escape');
      expect(await page.locator('dialog').isVisible()).toBe(false);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('zzqx <b>');
      await expect.poll(() => said(page)).toBe('Nothing matches “zzqx <b>”.');
    });
  });

  test('a button copies exactly the example, and one the link of an operation', async () => {
    await visit('/docs/api/messages', async (page) => {
      const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
      const article = page.locator('#sendMessage');
      await article.locator('.sample .copy').first().click();
      expect(await clipboard()).toBe(await article.locator('.sample code').first().textContent());
      expect(await clipboard()).toMatch(/^curl -sS -X POST "\$ACUSE_URL\/v1\/messages" \\\n/);
      await article.getByRole('button', { name: 'Copy link to “Send a message”' }).click();
      expect(await clipboard()).toBe(`${base}/docs/api/messages#sendMessage`);
    });
  });

  test.each([320, 375])(
    'at %i px the content is first, the menu a button away, nothing wider',
    async (width) => {
      for (const path of [
        '/docs',
        '/docs/api/messages',
        '/docs/errors',
        '/docs/limits',
        '/docs/evidence-format',
      ])
        await visit(
          path,
          async (page) => {
            expect((await page.locator('h1').first().boundingBox())!.y).toBeLessThan(120);
            expect(await page.locator('#menu').isVisible()).toBe(false);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
            await page.getByRole('button', { name: 'Menu' }).click();
            await page.locator('#menu a', { hasText: 'Suppressions' }).click();
            await expect.poll(() => heading(page)).toBe('Suppressions');
          },
          width,
        );
    },
  );

  test('without a program the pages read all the same', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${base}/docs/api/messages`);
    expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false);
    await page.locator('#menu a', { hasText: 'Evidence' }).first().click();
    expect(await page.locator('h1').first().textContent()).not.toBe('Messages');
    await context.close();
  });
});
