import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/** The page of a link in a real browser: for a person on a telephone, and for a scanner of mail. */
describe.skipIf(chromiumPath === null)('the page of a link (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let base: string;
  beforeAll(async () => {
    service = await startTestService();
    base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  async function ask(): Promise<{ id: string; to: string; url: string }> {
    const to = `luis-${newKey()}@sandbox.test`;
    const { body } = await service.send({ to, certified: true, acknowledgement: 'request', text: 'Hola' });
    await service.db.execute(
      `update messages set status = 'sent', sent_at = created_at, attempts = 1, next_attempt_at = null
        where message_id = $1`,
      [body.id],
    );
    const raw = (await service.call('GET', `/v1/messages/${body.id}/raw`)).raw.toString();
    const [path] = /\/a\/[a-z2-7]{26}/.exec(raw.replaceAll('=\r\n', ''))!;
    return { id: body.id, to, url: `${base}${path}` };
  }

  const leavesOf = (id: string) =>
    service.db.query(`select 1 from leaf_contents where message_id = $1 and kind = 'delivery'`, [id]);

  async function codeTo(to: string): Promise<string> {
    const [row] = await service.db.query<{ subject: string }>(
      `select subject from messages where recipient_address = $1 and sender_address like 'portal@%'`,
      [to],
    );
    return /\d{8}/.exec(row!.subject)![0];
  }

  test('lets a scanner that runs scripts press everything, and nothing comes of it', async () => {
    const asked = await ask();
    const page = await browser.newPage();
    await page.goto(asked.url);
    for (let turn = 0; turn < 4; turn++) {
      const count = await page.locator('button').count();
      for (let at = 0; at < count; at++) {
        if (at > 0) await page.goto(asked.url);
        for (const summary of await page.locator('summary').all()) await summary.click();
        for (const box of await page.locator('input[type=checkbox]').all()) await box.check();
        for (const field of await page.locator('input[type=text], textarea').all()) await field.fill('123');
        await page.locator('button').nth(at).click();
      }
      for (const link of await page.locator('a').all()) {
        const url = new URL((await link.getAttribute('href'))!, asked.url);
        // A mail of the scanner's own would be another test: replies.test.ts sends those.
        if (url.protocol !== 'mailto:') await page.request.get(url.href);
      }
    }
    expect(await leavesOf(asked.id)).toEqual([]);
    await page.close();
  });

  test('takes a person through it without scripts, on the width of a telephone, in Spanish', async () => {
    const asked = await ask();
    const context = await browser.newContext({
      viewport: { width: 320, height: 640 },
      ...{ locale: 'es-MX', javaScriptEnabled: false },
    });
    const page = await context.newPage();
    await page.goto(asked.url);
    await page.getByRole('button', { name: 'Enviarme un código' }).click();
    await page.getByLabel('Código de ocho dígitos').fill(await codeTo(asked.to));
    await page.getByLabel('Su nombre').fill('Luis Pérez');
    await page.getByRole('checkbox', { name: 'Recibí este mensaje' }).check();
    expect((await page.locator('main').boundingBox())!.width).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: 'Confirmar que lo recibí' }).click();
    await page.getByRole('heading', { name: 'Recepción confirmada' }).waitFor();
    expect(await leavesOf(asked.id)).toHaveLength(1);
    await context.close();
  });
});
