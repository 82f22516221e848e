import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { deleteMail, insertMail } from '../../src/sandbox/store.ts';
import { startTestService, type TestService } from '../support/service.ts';

const HTML_ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8';
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** Everything by which a mail could reach out, run something or leave its frame. */
const HOSTILE = `<html><head><meta http-equiv="refresh" content="0;url=https://evil.test/refresh">
<base href="https://evil.test/"><link rel="stylesheet" href="https://evil.test/s.css">
<style>@import url(https://evil.test/i.css);body{background:url(https://evil.test/b.png)}</style>
<script>parent.postMessage('run','*');top.location='https://evil.test/top'</script></head>
<body onload="parent.document.title='stolen'"><h1>Hello &amp; goodbye</h1><img src="cid:logo@x"><img
src="https://evil.test/p.png" onerror="alert(1)"><form action="https://evil.test/f"><input autofocus></form>
<iframe src="https://evil.test/frame"></iframe><object data="https://evil.test/o"></object>
<a href="javascript:alert(1)" target="_top">Click</a></body></html>`;

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await startTestService();
  base = await service.http.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service?.stop());
beforeEach(() => deleteMail(service.db));

/** A mail as the mailbox keeps it; its id. */
async function arrive(subject: string, fields: { to?: string; html?: string } = {}): Promise<string> {
  const mailId = newId();
  const { to = 'ana@sandbox.test', html } = fields;
  const text = '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe text.\r\n';
  const body = `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;
  const image = `--b\r\nContent-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}\r\n`;
  const file =
    '--b\r\nContent-Type: text/html\r\nContent-Disposition: attachment; filename="a.html"\r\n\r\n<script>1</script>\r\n';
  const head = `From: Eva <eva@sandbox.test>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n`;
  const type = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
  const raw = Buffer.from(`${head}${type}${text}${html === undefined ? '' : body + image}${file}--b--\r\n`);
  const mail = { mailId, reversePath: 'b+1@bounce.test', forwardPath: to, clientName: 'test', tls: null };
  await insertMail(service.db, [{ ...mail, raw, receivedAt: new Date() }]);
  return mailId;
}

describe('over HTTP', () => {
  const get = (path: string, accept: string, key: string | null = null) =>
    service.call('GET', path, { key, headers: { accept } });

  test('a browser without a key gets the page, a program a refusal, at the same address', async () => {
    const id = await arrive('Hello');
    for (const path of ['/sandbox/mailbox', `/sandbox/mailbox/${id}`, '/sandbox/mailbox/nothing']) {
      const page = await get(path, HTML_ACCEPT);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.raw.toString()).not.toContain('Hello');
      expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
      for (const accept of ['*/*', 'application/json']) expect((await get(path, accept)).status).toBe(401);
    }
    expect((await get('/sandbox/mailbox', HTML_ACCEPT, 'acuse_wrong')).status).toBe(401);
    expect((await get('/sandbox/mailbox', HTML_ACCEPT, service.account.apiKey)).body.data).toHaveLength(1);
  });

  test('one mail is deleted, and no other', async () => {
    const [one, two] = [await arrive('One'), await arrive('Two')];
    expect((await service.call('DELETE', `/sandbox/mailbox/${one}`)).status).toBe(204);
    expect((await service.call('DELETE', `/sandbox/mailbox/${one}`)).status).toBe(404);
    expect((await service.call('DELETE', `/sandbox/mailbox/${two}`, { key: null })).status).toBe(401);
    const { body } = await service.call('GET', '/sandbox/mailbox');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([two]);
  });

  test('an attachment is saved and never shown, whatever it calls itself', async () => {
    const id = await arrive('Hello');
    const answer = await service.call('GET', `/sandbox/mailbox/${id}/attachments/0`);
    expect(answer.raw.toString().trim()).toBe('<script>1</script>');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
    for (const index of ['1', '-1', 'x', '__proto__'])
      expect((await service.call('GET', `/sandbox/mailbox/${id}/attachments/${index}`)).status).toBe(404);
  });

  test('a preview is opened by a ticket of a key, and its answer allows nothing', async () => {
    const id = await arrive('Hello', { html: HOSTILE });
    const path = `/sandbox/mailbox/${id}/preview`;
    expect((await service.call('POST', path, { key: null })).status).toBe(401);
    const { url } = (await service.call('POST', path)).body;
    const frame = await service.call('GET', url, { key: null });
    expect(frame.headers['content-security-policy']).toBe(
      "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'",
    );
    expect(frame.raw.toString()).toContain(`src="data:image/png;base64,${PNG}"`);
    const forged = `${url.slice(0, -10)}${url.at(-10) === 'A' ? 'B' : 'A'}${url.slice(-9)}`;
    const ticket = (untilMs: number) =>
      service.services.secrets
        .seal(Buffer.from(`${untilMs} ${id}`), 'sandbox-mailbox-preview')
        .toString('base64url');
    const [valid, late] = [ticket(Date.now() + 60_000), ticket(Date.now() - 1)];
    const at = '/sandbox/mailbox/preview';
    expect((await service.call('GET', `${at}/${valid}`, { key: null })).status).toBe(200);
    for (const ticket of [forged, `${at}/${late}`, `${at}/AQ`, `${at}/${id}`])
      expect((await service.call('GET', ticket, { key: null })).status).toBe(404);
  });
});

describe.skipIf(chromiumPath === null)('in a browser (skipped: needs chromium)', () => {
  let browser: Browser;
  let page: Page;
  /** Requests that were made beyond the server, and faults of the page. */
  let wrong: string[];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.close();
    expect(wrong).toEqual([]);
  });

  async function open(options: { locale?: string; width?: number; path?: string } = {}): Promise<void> {
    const { locale = 'en-US', width = 1280, path = '/sandbox/mailbox' } = options;
    page = await browser.newPage({ locale, viewport: { width, height: 800 } });
    wrong = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('requestfinished', (request) => request.url().startsWith(base) || wrong.push(request.url()));
    page.on('dialog', (dialog) => {
      wrong.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`${base}${path}#${service.account.apiKey}`);
  }

  const rows = () => page.locator('.list li b');

  test('the key of the link opens it and leaves the address; one that is wrong is asked for again', async () => {
    await arrive('Hello');
    await open();
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Hello']);
    expect(page.url()).toBe(`${base}/sandbox/mailbox`);
    await page.reload();
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Hello']);
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.getByLabel("The sandbox's API key").fill('acuse_wrong');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.gate .bad').innerText()).toContain('not a key of the sandbox');
    await page.getByLabel("The sandbox's API key").fill(service.account.apiKey);
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Hello']);
  });

  test('what arrives appears by itself, and a search narrows the list', async () => {
    await open();
    await expect.poll(() => page.locator('.nothing h2').innerText()).toBe('No mail yet');
    await arrive('Invoice 1');
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Invoice 1']);
    await arrive('Contract 77', { to: 'luis@sandbox.test' });
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Contract 77', 'Invoice 1']);
    expect(await page.locator('p[aria-live]').innerText()).toBe('1 new message');
    await page.keyboard.press('/');
    await page.keyboard.type('LUIS contract');
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Contract 77']);
    await page.keyboard.type(' nothing');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => rows().count()).toBe(2);
  });

  test('with the keyboard alone: open, read in four views, go on, delete', async () => {
    for (const subject of ['One', 'Two']) await arrive(subject, { html: '<h1>Hi</h1>' });
    await open();
    await rows().first().waitFor();
    const title = () => page.locator('.mail h2').innerText();
    await page.keyboard.press('j');
    await expect.poll(title).toBe('Two');
    await page.keyboard.press('j');
    await expect.poll(title).toBe('One');
    await page.getByRole('tab', { name: 'HTML' }).focus();
    for (const [name, text] of [
      ['Text', 'The text.'],
      ['Headers', 'Eva <eva@sandbox.test>'],
      ['Source', 'boundary=b'],
    ] as const) {
      await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('tab', { name }).getAttribute('aria-selected')).toBe('true');
      await expect.poll(() => page.locator('#view').innerText()).toContain(text);
    }
    await page.getByRole('button', { name: 'Delete', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().allInnerTexts()).toEqual(['Two']);
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await expect.poll(() => page.locator('.nothing h2').innerText()).toBe('No mail yet');
  });

  test('hostile HTML is shown and does nothing: no request, no script, no form, no way out', async () => {
    const id = await arrive('<b>Bold</b>', { html: HOSTILE });
    await open({ path: `/sandbox/mailbox/${id}` });
    await expect.poll(() => page.locator('.mail h2').innerText()).toBe('<b>Bold</b>');
    const frame = page.frameLocator('iframe.preview');
    await expect.poll(() => frame.locator('h1').innerText()).toBe('Hello & goodbye');
    await expect
      .poll(() =>
        frame
          .locator('img')
          .first()
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBe(1);
    await frame.getByText('Click').click();
    await frame.locator('input').press('Enter');
    expect(page.url()).toBe(`${base}/sandbox/mailbox/${id}`);
    expect(await page.title()).toBe('Test mailbox');
    expect(await frame.locator('h1').innerText()).toBe('Hello & goodbye');
  });

  test('downloads are the bytes: the whole message, and an attachment', async () => {
    const id = await arrive('Hello');
    await open({ path: `/sandbox/mailbox/${id}` });
    const saved = async (button: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      return (await download).suggestedFilename();
    };
    expect(await saved('Download (.eml)')).toBe(`${id}.eml`);
    expect(await saved('a.html')).toBe('a.html');
  });

  test('in Spanish at 320 px: the list, then the message in its place, nothing wider', async () => {
    await arrive('Factura A-1042 de noviembre', { html: '<p>Hola</p>' });
    await open({ locale: 'es-MX', width: 320 });
    await rows().first().waitFor();
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect([await page.title(), await wide()]).toEqual(['Buzón de pruebas', 320]);
    await rows().first().click();
    await page.locator('iframe').waitFor();
    expect([await page.locator('.list').isVisible(), await wide()]).toEqual([false, 320]);
    await page.getByRole('button', { name: 'Todos los mensajes' }).click();
    expect(await rows().first().isVisible()).toBe(true);
  });
});
