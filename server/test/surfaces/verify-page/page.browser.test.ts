import { readFileSync } from 'node:fs';
import { readBundle } from '@acuse/evidence/bundle';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseMessage } from '../../../src/operate/retention/erase.ts';
import { attempt } from '../../evidence/deliveries.ts';
import { type SealedMessage, sealMessage } from '../../support/sealed.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Another key of the same name as the vectors' log. */
const NAMESAKE = 'log.example/acuse+66e3618b+AaBFj5Oc3vnD6Ehd+xSzIAGfZjWqBPdjG0QwouzA7vH4';

/**
 * The page as a visitor has it: real Chromium, the program that the build made, a bundle that the service
 * handed out.
 */
describe.skipIf(chromiumPath === null)('the verify page (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let base: string;
  let sealed: SealedMessage;
  beforeAll(async () => {
    service = await startTestService();
    sealed = await sealMessage(service);
    base = sealed.base;
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  async function open(locale = 'en-US'): Promise<{ page: Page; requests: string[] }> {
    const page = await browser.newPage({ locale });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${base}/verify`);
    return { page, requests };
  }

  async function verdictOf(page: Page, bundle: Buffer, eml?: Buffer): Promise<string> {
    if (eml !== undefined)
      await page.setInputFiles('#eml', { name: 'received.eml', mimeType: 'message/rfc822', buffer: eml });
    await page.setInputFiles('#bundle', { name: 'proof.zip', mimeType: 'application/zip', buffer: bundle });
    await page.waitForSelector('.verdict');
    return page.locator('.verdict').innerText();
  }

  test('a good bundle verifies, and the page asks nobody', async () => {
    const { page, requests } = await open();
    const loaded = requests.length;
    expect(await verdictOf(page, sealed.bundle)).toBe('Consistent, but nobody you trust vouches for it');
    expect(await page.locator('.means').innerText()).toContain('by a development authority');
    expect(await page.locator('.warning').count()).toBe(0);
    expect(requests.slice(loaded)).toEqual([]);
    expect(requests.every((url) => url.startsWith(base))).toBe(true);
    await page.close();
  });

  test('a second signature of the log is checked by a program that is loaded for it alone', async () => {
    const { page, requests } = await open();
    const loaded = requests.length;
    const vector = (name: string) =>
      readFileSync(new URL(`../../../../contract/vectors/bundles/mldsa44/${name}.zip`, import.meta.url));
    expect(await verdictOf(page, vector('both'))).toBe('Consistent, but nobody you trust vouches for it');
    expect(await page.locator('body').textContent()).toContain('with ML-DSA-44 as well');
    await page.reload();
    expect(await verdictOf(page, vector('wrong'))).toBe('Do not rely on this file');
    const more = requests.slice(loaded).filter((url) => /mldsa44/.test(url));
    expect(new Set(more)).toEqual(new Set([`${base}/verify/mldsa44.js`]));
    await page.close();
  });

  test.each([
    ['en-US', 'verify', 'This page cannot verify anything here'],
    ['es-MX', 'verify', 'Esta página no puede verificar nada aquí'],
    ['en-US', 'prove/0198c5d0-0000-7000-8000-000000000000#secret', 'This page cannot verify anything here'],
  ])(
    'over plain http it says why it cannot verify, and judges nothing: %s %s',
    async (locale, path, title) => {
      const page = await browser.newPage({ locale });
      const requests: string[] = [];
      await page.route('http://mail.example.test/**', async (route) => {
        const { pathname } = new URL(route.request().url());
        requests.push(pathname);
        await route.fulfill({ response: await route.fetch({ url: base + pathname }) });
      });
      await page.goto(`http://mail.example.test/${path}`);
      await page.waitForSelector('.verdict');
      expect(await page.locator('.verdict').innerText()).toBe(title);
      if (path === 'verify') expect(await verdictOf(page, sealed.bundle)).toBe(title);
      else expect(await page.locator('#open').isVisible()).toBe(false);
      expect(requests.filter((it) => it.includes('/v1/'))).toEqual([]);
      await page.close();
    },
  );

  test('green is for who pins a policy, by a real time-stamp, and has the whole', async () => {
    const vectors = new URL('../../../../contract/vectors/', import.meta.url);
    const { pinned } = JSON.parse(readFileSync(new URL('bundles.json', vectors), 'utf8'));
    const shown = [];
    for (const { file, policy, verdict } of pinned.slice(0, 11)) {
      if (policy === 'bundle') continue;
      const { page } = await open();
      const buffer = Buffer.from(JSON.stringify(policy));
      await page.setInputFiles('#trust', { name: 'policy.json', mimeType: 'application/json', buffer });
      await verdictOf(page, readFileSync(new URL(`bundles/${file}`, vectors)));
      const tone = { verified: 'ok', rejected: 'bad' }[verdict as string] ?? 'unsure';
      expect(await page.locator(`.banner.${tone}`).count(), `${file} ${verdict}`).toBe(1);
      const complete = page.locator('summary').filter({ hasText: 'Is the file complete?' });
      if (verdict !== 'rejected') shown.push([verdict, await complete.locator('.answer').innerText()]);
      await page.close();
    }
    expect(shown).toContainEqual(['verified', expect.stringMatching(/^Yes, /)]);
    expect(shown).toContainEqual(['incomplete', 'Not the whole']);
  });

  test("this very service counts as the reader's, another of the same name does not; green says who says so", async () => {
    const { page: asIs } = await open();
    await verdictOf(asIs, sealed.bundle);
    // Its own bundle has a development time-stamp, and nothing else against it.
    expect(await asIs.locator('.means li').allInnerTexts()).toEqual([
      'A time-stamp in it is by a development authority, which proves nothing to anybody else.',
    ]);
    expect(await asIs.locator('#result').innerText()).toContain('are those of this very service');
    // A link, which only the reader follows: the log signs today's count.
    const link = asIs.getByRole('link', { name: 'Ask the log how many outcomes it counts today' });
    const note = await (await fetch(`${base}${await link.getAttribute('href')}`)).text();
    expect(note).toMatch(/^sandbox\.test\/log\/m\/[0-9a-f]{64}\n1\n/);
    await asIs.close();

    const file = readFileSync(
      new URL('../../../../contract/vectors/bundles/good/nom151.zip', import.meta.url),
    );
    const stated = Buffer.from(readBundle(file).get('policy.json')!).toString();
    const other = stated.replace(/log\.example\/acuse\+[^"]+/, NAMESAKE);
    const ends = { en: /whose checksum you compared/, es: /cuya suma de verificación haya comparado/ };
    for (const [policy, locale, tone] of [
      [stated, 'en', 'ok'],
      [stated, 'es', 'ok'],
      [other, 'en', 'unsure'],
      [other, 'es', 'unsure'],
    ] as const) {
      const page = await browser.newPage({ locale });
      // The same page as another service would serve it, with that service's policy in it.
      await page.route('**/verify', async (route) => {
        const answer = await route.fetch();
        const meta = `<meta name="acuse-policy" content="${policy.replaceAll('"', '&#34;')}">`;
        const html = (await answer.text()).replace(/<meta name="acuse-policy"[^>]*>/, () => meta);
        await route.fulfill({ response: answer, body: html });
      });
      await page.goto(`${base}/verify`);
      await verdictOf(page, file);
      expect(await page.locator(`.banner.${tone}`).count(), `${locale} ${tone}`).toBe(1);
      const means = await page.locator('.banner .means').innerText();
      if (tone === 'ok') expect(means).toMatch(ends[locale]);
      else expect(means).not.toMatch(ends[locale]);
      await page.close();
    }
  });

  test('in Spanish for whoever reads Spanish, and a click away for the others', async () => {
    const { page } = await open('es-MX');
    expect(await page.title()).toBe('Verificar un paquete de evidencia');
    expect(await verdictOf(page, sealed.bundle)).toBe('Congruente, pero nadie de su confianza lo respalda');
    await page.click('[data-language=en]');
    await page.waitForFunction(
      () =>
        document.querySelector('.verdict')?.textContent === 'Consistent, but nobody you trust vouches for it',
    );
    await page.close();
  });

  test('of an erased message it says what is gone, in both languages, and that the rest holds', async () => {
    const { tenantId } = service.account;
    const { id: messageId, raw } = await sealMessage(service);
    await attempt(service.db, [{ tenantId, messageId, raw }], 'sent');
    const request = { messageId, tenantId, reason: 'asked for', by: 'test', force: true };
    expect(await eraseMessage({ ...service.services, certifiedYears: 10 }, request)).toMatchObject({
      kind: 'erased',
    });
    const { raw: bundle } = await service.call('GET', `/v1/messages/${messageId}/proof-bundle`);
    const { page } = await open();
    expect(await verdictOf(page, bundle)).toBe('Consistent, but nobody you trust vouches for it');
    const warnings = () => page.locator('.warning').allInnerTexts();
    expect((await warnings()).join('\n')).toContain('The operator erased the content of this message');
    await page.click('[data-language=es]');
    await page.waitForFunction(
      () =>
        document.querySelector('.verdict')?.textContent ===
        'Congruente, pero nadie de su confianza lo respalda',
    );
    expect((await warnings()).join('\n')).toContain('El operador borró el contenido de este mensaje');
    await page.close();
  });

  test('a received message is compared layer by layer', async () => {
    const { page } = await open();
    const received = Buffer.concat([
      Buffer.from('Received: from a by b; Fri, 20 Nov 2026 10:00:00 +0000\r\n'),
      sealed.raw,
    ]);
    expect(await verdictOf(page, sealed.bundle, received)).toBe(
      'Consistent, but nobody you trust vouches for it',
    );
    expect(await page.locator('.copy').innerText()).toContain('This copy is what was sent');
    expect(await page.locator('#result ul.checks').first().innerText()).toContain('Byte for byte: matches');
    await page.close();
  });

  test('a changed bundle, a changed message and plain rubbish are not valid, each with its reason', async () => {
    const { page } = await open();
    const changed = Buffer.from(sealed.bundle);
    changed[Math.floor(changed.length / 2)]! ^= 1;
    expect(await verdictOf(page, changed)).toBe('Do not rely on this file');
    await page.reload();
    const other = Buffer.from(sealed.raw.toString().replace('Hello', 'Hullo'));
    expect(await verdictOf(page, sealed.bundle, other)).toBe(
      'Consistent, but nobody you trust vouches for it',
    );
    expect(await page.locator('.copy').innerText()).toMatch(
      /The bundle is valid\. This copy is not what was sent\n+Subject is different/,
    );
    await page.reload();
    expect(await verdictOf(page, Buffer.from('<script>alert(1)</script>'))).toBe('Not a proof bundle');
    expect(await page.locator('#result').innerText()).not.toMatch(/valid|check/i);
    await page.close();
  });

  test('a forged copy is told from the bundle, in both languages', async () => {
    const { page } = await open('es-MX');
    const forged = Buffer.concat([Buffer.from('From: Eva <eva@x.test>\r\nSubject: Otro\r\n'), sealed.raw]);
    expect(await verdictOf(page, sealed.bundle, forged)).toBe(
      'Congruente, pero nadie de su confianza lo respalda',
    );
    expect(await page.locator('.copy').innerText()).toMatch(
      /El paquete es válido\. Esta copia no es lo que se envió\n+se agregó From al encabezado\nse agregó Subject al encabezado/,
    );
    await page.close();
  });

  test('who sent what to whom, and what others prove, stand before any hash; trust is told as what it is', async () => {
    const { page } = await open();
    await verdictOf(page, sealed.bundle);
    const text = await page.locator('#result').innerText();
    const order = ['The message', 'From', 'To', 'Subject', 'What it contains', 'What third parties prove'];
    const places = [...order, 'What the operator says', 'are those of this very service'].map((word) =>
      text.indexOf(word),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place >= 0)).toBe(true);
    const hash = /(?:[0-9A-Fa-f]{2}:?){32}/.exec(text);
    expect(hash?.index).toBeGreaterThan(places.at(-1)!);
    expect(text).toContain('report.pdf was not compared with the evidence and is not signed');
    expect(text).toContain('VERIFY.md is the text that this version writes from the evidence');
    await page.close();
  });

  test('the verdict is one sentence: who sent what to whom, and since when it is as it is', async () => {
    const { page } = await open();
    await verdictOf(page, sealed.bundle);
    expect(await page.locator('.sentence').innerText()).toMatch(
      /^The message “.+” from .+@.+ to .+@.+ existed on \w+ \d+, \d{4} at [\d:]+ UTC and has not changed since\.$/,
    );
    await page.close();
  });

  test('checks are folded under questions, and a question whose answer is no is open', async () => {
    const { page } = await open();
    await verdictOf(page, sealed.bundle);
    const groups = page.locator('details:not(.facts)');
    expect(await groups.count()).toBe(6);
    expect(await groups.locator('ul').first().isVisible()).toBe(false);
    expect(await page.locator('summary.ok').count()).toBe(6);
    const checks = await groups.locator('li').count();
    const counted = (await groups.locator('.answer').allInnerTexts()).map((text) => /\d+/.exec(text)![0]);
    expect(counted.reduce((sum, count) => sum + Number(count), 0)).toBe(checks);
    const changed = Buffer.from(sealed.bundle);
    changed[Math.floor(changed.length / 2)]! ^= 1;
    await verdictOf(page, changed);
    await page.waitForSelector('.verdict.bad');
    expect(await page.locator('summary.bad .answer').first().innerText()).toMatch(/^No, \d+ checks? fails?$/);
    expect(await page.locator('details[open] li.bad').first().isVisible()).toBe(true);
    await page.close();
  });

  test('it prints on one page, without the fields for files', async () => {
    const { page } = await open('es-MX');
    await verdictOf(page, sealed.bundle);
    for (const format of ['Letter', 'A4']) {
      const pdf = (await page.pdf({ format })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    }
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.slots').isVisible()).toBe(false);
    expect(await page.locator('.sentence').isVisible()).toBe(true);
    await page.close();
  });

  test('before its program runs, the page says the same', async () => {
    const texts = (page: Page) =>
      page.$$eval('[data-word]', (nodes) => nodes.map((node) => node.textContent!.replace(/\s+/g, ' ')));
    for (const path of ['/verify', '/prove/01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11']) {
      const still = await browser.newPage({ javaScriptEnabled: false });
      await still.goto(base + path);
      const page = await browser.newPage({ locale: 'en-US' });
      await page.goto(base + path);
      expect(await texts(still)).toEqual(await texts(page));
      await still.close();
      await page.close();
    }
  });

  test('nothing is wider than a small phone', async () => {
    const { page } = await open('es-MX');
    await page.setViewportSize({ width: 320, height: 700 });
    const forged = Buffer.concat([Buffer.from('From: Eva <eva@x.test>\r\n'), sealed.raw]);
    await verdictOf(page, sealed.bundle, forged);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.close();
  });

  test('markup in a message stays text', async () => {
    const { page } = await open();
    let alerted = false;
    page.on('dialog', async (dialog) => {
      alerted = true;
      await dialog.dismiss();
    });
    const bundle = JSON.stringify({
      type: 'acuse/bundle/v1',
      entries: [{ name: '<img src=x onerror=alert(1)>', text: 'x' }],
    });
    await page.setInputFiles('#bundle', {
      name: 'x.json',
      mimeType: 'application/json',
      buffer: Buffer.from(bundle),
    });
    await page.waitForSelector('.verdict');
    expect(alerted).toBe(false);
    expect(await page.locator('#result img').count()).toBe(0);
    await page.close();
  });

  test('the policy forbids every connection', async () => {
    const answer = await service.call('GET', '/verify', { key: null });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(String(answer.headers['content-security-policy'])).not.toContain('connect-src');
    expect(readFileSync(new URL('../../../dist/verify-page.js', import.meta.url), 'utf8')).not.toMatch(
      /\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/,
    );
  });
});
