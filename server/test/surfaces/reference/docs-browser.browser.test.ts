import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

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

  test('the language of the examples is chosen by tabs, for all of them, and remembered', async () => {
    await visit('/docs/api/messages', async (page) => {
      const tab = (name: string) => page.locator('#cancelMessage').getByRole('tab', { name, exact: true });
      const code = page.locator('#cancelMessage [role=tabpanel]:visible code');
      await tab('curl').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await tab('Python').getAttribute('aria-selected')).toBe('true');
      expect(await tab('Python').evaluate((it) => it === document.activeElement)).toBe(true);
      expect(await code.textContent()).toMatch(/^result = acuse\.messages\.cancel\("/);
      // Its panel is named by it, and it alone is in the order of the Tab key.
      const controls = await tab('Python').getAttribute('aria-controls');
      expect(await page.locator(`#${controls}`).getAttribute('aria-labelledby')).toBe(
        await tab('Python').getAttribute('id'),
      );
      expect(await page.locator('#cancelMessage [role=tab][tabindex="0"]').count()).toBe(1);
      await page.keyboard.press('End');
      expect(await code.textContent()).toMatch(/acuse.*messages.*cancel\(/);
      await page.keyboard.press('ArrowRight');
      expect(await code.textContent()).toMatch(/^curl /);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Home');
      await tab('Go').click();
      expect(await page.locator('#sendMessage [role=tabpanel]:visible code').textContent()).toContain(
        'c.Messages.Send(ctx, acuse.Send{',
      );
      expect(new URL(page.url()).searchParams.get('lang')).toBe('go');
      await page.goto(`${base}/docs/api/templates`);
      expect(await page.locator('#deleteTemplate [role=tabpanel]:visible code').textContent()).toMatch(
        /^err := c\.Templates\.Delete/,
      );
    });
  });

  test('a link names the language, and what is pressed stays where it is', async () => {
    await visit('/docs/api/messages?lang=java#sendMessage', async (page) => {
      const tabs = page.locator('#sendMessage [role=tablist]');
      expect(await tabs.locator('[aria-selected=true]').innerText()).toBe('Java');
      await page.locator('#cancelMessage').scrollIntoViewIfNeeded();
      const ruby = page.locator('#cancelMessage').getByRole('tab', { name: 'Ruby' });
      const before = (await ruby.boundingBox())!.y;
      await ruby.click();
      expect(Math.abs((await ruby.boundingBox())!.y - before)).toBeLessThan(2);
      await page.goto(`${base}/docs/api/messages?lang=cobol`);
      expect(await tabs.locator('[aria-selected=true]').innerText()).toBe('Ruby');
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
    await page.goto(`${base}/docs/api/messages`);
    expect(await page.getByRole('tab').count()).toBe(0);
    await page.locator('#cancelMessage summary', { hasText: 'Python' }).click();
    expect(
      await page.locator('#cancelMessage code:visible', { hasText: 'acuse.messages.cancel' }).count(),
    ).toBe(1);
    await context.close();
  });
});
