import { readFileSync } from 'node:fs';
import { readBundle } from '@acuse/evidence/bundle';
import { DIGESTED_FROM_BYTES } from '@acuse/evidence/digests';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedIn } from '../../support/people.ts';
import { type SealedMessage, sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const ID = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
const SECRET = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I';

/** The page of a shared link, with what the server answers to its one request put in on the way. */
describe.skipIf(chromiumPath === null)('the prove-it page (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let sealed: SealedMessage;
  beforeAll(async () => {
    service = await startTestService();
    sealed = await sealMessage(service);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  interface Visit {
    page: Page;
    /** Bodies of the requests that open the link. */
    opened: string[];
    requests: string[];
    wrong: string[];
  }

  async function visit(fragment: string, status = 200, body: Buffer = sealed.bundle): Promise<Visit> {
    const page = await browser.newPage({ locale: 'en-US' });
    const seen: Visit = { page, opened: [], requests: [], wrong: [] };
    page.on('request', (request) => seen.requests.push(request.url()));
    page.on('pageerror', (error) => seen.wrong.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) seen.wrong.push(message.text());
    });
    await page.route(`**/prove/${ID}`, (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      seen.opened.push(route.request().postData() ?? '');
      return route.fulfill({ status, body, headers: { 'Request-Id': 'r-1' } });
    });
    await page.goto(`${sealed.base}/prove/${ID}${fragment}`);
    return seen;
  }

  const open = (page: Page) => page.getByRole('button', { name: 'Open the proof' });
  const verdict = (page: Page) => page.locator('.verdict').innerText();

  test('a visit opens nothing: programs that scan mail follow every link', async () => {
    const { page, opened, requests } = await visit(`#${SECRET}`);
    expect(await open(page).isVisible()).toBe(true);
    expect(opened).toEqual([]);
    // The secret is in the fragment, which no request carries.
    expect(requests.join(' ')).not.toContain(SECRET);
    await page.close();
  });

  test('the button opens it once, verifies it here and says so', async () => {
    const { page, opened, requests, wrong } = await visit(`#${SECRET}`);
    await page.keyboard.press('Tab');
    await open(page).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.verdict');
    expect(await verdict(page)).toBe('Consistent, but nobody you trust vouches for it');
    expect(opened).toEqual([JSON.stringify({ secret: SECRET })]);
    expect(requests.every((url) => url.startsWith(sealed.base))).toBe(true);
    expect(wrong).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the proof bundle' }).click();
    expect(readFileSync((await (await download).path())!).equals(sealed.bundle)).toBe(true);
    await page.close();
  });

  test('what is large is hashed by WebCrypto, once: each entry, the body, the attachment', async () => {
    const attached = Buffer.alloc(300_000, 'clause ');
    const content = attached.toString('base64');
    const large = await sealMessage(service, {
      attachments: [{ filename: 'c.txt', content_type: 'text/plain', content }],
    });
    const { page } = await visit(`#${SECRET}`, 200, large.bundle);
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      const own = crypto.subtle.digest.bind(crypto.subtle);
      crypto.subtle.digest = (name, bytes) => {
        seen.push(bytes.byteLength);
        return own(name, bytes);
      };
    });
    await open(page).click();
    await page.waitForSelector('.verdict');
    const all = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
    const isLarge = (bytes: number) => bytes >= DIGESTED_FROM_BYTES;
    const entries = [...readBundle(large.bundle).values()].map(({ length }) => length).filter(isLarge);
    expect(entries).toHaveLength(2);
    expect(all.filter(isLarge)).toHaveLength(4);
    expect(all).toEqual(expect.arrayContaining([...entries, attached.length]));
    await page.close();
  });

  test('it prints as one page, with the link as a code and as text', async () => {
    const { page } = await visit(`#${SECRET}`);
    await open(page).click();
    await page.waitForSelector('.verdict');
    const pdf = (await page.pdf({ format: 'Letter' })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#code svg').isVisible()).toBe(true);
    expect(await page.locator('#link').innerText()).toBe(`${sealed.base}/prove/${ID}#${SECRET}`);
    await page.close();
  });

  test('a byte that changed on the way turns it red', async () => {
    const changed = Buffer.from(sealed.bundle);
    changed[Math.floor(changed.length / 2)]! ^= 1;
    const { page } = await visit(`#${SECRET}`, 200, changed);
    await open(page).click();
    await page.waitForSelector('.verdict');
    expect(await verdict(page)).toBe('Do not rely on this file');
    await page.close();
  });

  test('wrong, expired and revoked are one refusal; a fault can be retried', async () => {
    const gone = await visit(`#${SECRET}`, 404, Buffer.from('{}'));
    await open(gone.page).click();
    await gone.page.waitForSelector('.verdict');
    expect(await verdict(gone.page)).toBe('This link cannot be opened');
    await gone.page.close();
    const failed = await visit(`#${SECRET}`, 503, Buffer.from('{}'));
    await open(failed.page).click();
    await failed.page.waitForSelector('.verdict');
    expect(await verdict(failed.page)).toBe('The proof could not be loaded');
    expect(await failed.page.locator('#result').innerText()).toContain('r-1');
    await open(failed.page).click();
    await expect.poll(() => failed.opened.length).toBe(2);
    await failed.page.close();
  });

  test('a real link shows what was shared and no more; once revoked it opens no longer', async () => {
    const developer = await signedIn(service, service.account.tenantId, 'developer');
    const made = await developer.call('POST', `/messages/${sealed.id}/shares`, {
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      disclose: { message: false, parts: [0], delivery: false },
    });
    const { pathname, hash } = new URL(made.body.url);
    const page = await browser.newPage({ locale: 'es-MX' });
    await page.goto(`${sealed.base}${pathname}${hash}`);
    const button = page.getByRole('button', { name: 'Abrir la prueba' });
    await button.click();
    await page.waitForSelector('.verdict');
    expect(await verdict(page)).toBe('Congruente, pero nadie de su confianza lo respalda');
    expect(await page.locator('.sentence').innerText()).toMatch(/^Un mensaje existía el .+ y no ha cambiado/);
    expect(await page.locator('#result').innerText()).not.toMatch(/sandbox\.test>/);
    await developer.call('DELETE', `/messages/${sealed.id}/shares/${made.body.id}`);
    await page.reload();
    await button.click();
    await page.waitForSelector('.verdict');
    expect(await verdict(page)).toBe('Este enlace no se puede abrir');
    await page.close();
  });

  test('without its fragment it says what is missing', async () => {
    const { page } = await visit('');
    expect(await verdict(page)).toBe('This link is incomplete');
    expect(await open(page).isVisible()).toBe(false);
    await page.close();
  });

  test('the policy lets it ask this server and nobody else', async () => {
    const { headers, status } = await service.call('GET', `/prove/${ID}`, { key: null });
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*; connect-src 'self'$/);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });
});
