import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readBundle } from '@acuse/evidence/bundle';
import { DIGESTED_FROM_BYTES } from '@acuse/evidence/digests';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import { CASES_READ_AT, caseBundles, hasCaseBundles } from '@acuse/testkit/case-bundles';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SealedMessage, sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const TITLES = {
  unproven: 'Consistent, but nobody you trust vouches for it',
  rejected: 'Do not rely on this file',
} as const;

const ATTACHED = randomBytes(300_000);

/** The page and its files: those that lie, and those that are large. */
describe.skipIf(chromiumPath === null)('files on the verify page (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let sealed: SealedMessage;
  beforeAll(async () => {
    service = await startTestService();
    const content = ATTACHED.toString('base64');
    sealed = await sealMessage(service, { attachments: [{ filename: 'a.bin', content }] });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  async function verdictOf(page: Page, buffer: Buffer): Promise<string> {
    await page.goto(`${sealed.base}/verify`);
    await page.setInputFiles('#bundle', { name: 'proof.zip', mimeType: 'application/zip', buffer });
    await page.waitForSelector('.verdict');
    return page.locator('.verdict').innerText();
  }

  test('what is large is hashed by WebCrypto, once: each entry, the body, the attachment', async () => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      const { subtle } = crypto;
      const own = subtle.digest.bind(subtle);
      subtle.digest = (name, bytes) => {
        seen.push(bytes.byteLength);
        return own(name, bytes);
      };
    });
    await verdictOf(page, sealed.bundle);
    const isLarge = (bytes: number) => bytes >= DIGESTED_FROM_BYTES;
    const seen = (await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen)).filter(
      isLarge,
    );
    const entries = [...readBundle(sealed.bundle).values()].map(({ length }) => length).filter(isLarge);
    expect(entries).toHaveLength(2);
    expect(seen).toHaveLength(4);
    expect(seen).toEqual(expect.arrayContaining([...entries, ATTACHED.length]));
    await page.close();
  });

  test.skipIf(!hasCaseBundles).each(caseBundles)(
    '$file is $verdict (skipped without ACUSE_CORPORA)',
    async ({ path, verdict, failed }) => {
      const page = await browser.newPage();
      await page.clock.setFixedTime(CASES_READ_AT);
      expect(await verdictOf(page, readFileSync(path))).toBe(TITLES[verdict]);
      const named = await page.locator('.checks li.bad b').allTextContents();
      if (failed === null) expect(named).toEqual([]);
      else expect(named).toContain(failed);
      expect(await page.locator('.banner.ok').count()).toBe(0);
      await page.close();
    },
  );
});
