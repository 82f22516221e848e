import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndedLog, keepBundle, makeEndedLog, sendCertified } from '../support/ended-log.ts';
import type { Service } from '../support/process.ts';

/** People's view of a log that has ended: on /verify, on a shared proof, in the portal, in the console. */
describe.skipIf(chromiumPath === null)('pages about a log that has ended (skipped: needs chromium)', () => {
  let log: EndedLog;
  let service: Service;
  let browser: Browser;
  const people: Record<'portal' | 'admin', Page | null> = { portal: null, admin: null };

  beforeAll(async () => {
    log = await makeEndedLog();
    service = await log.start();
    const fresh = await sendCertified(service);
    await keepBundle(service, fresh, log.at('fresh.json'));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await log?.close();
  });

  async function signedIn(where: 'portal' | 'admin', locale = 'en-US'): Promise<Page> {
    const { sandbox } = service;
    const link = where === 'portal' ? sandbox.portal_sign_in : sandbox.admin_sign_in;
    if (people[where] === null) {
      const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
      await page.goto(String(link));
      await page.locator('main button').click();
      await page.waitForURL((url) => !url.pathname.endsWith('/link'));
      people[where] = page;
    }
    const context = await browser.newContext({ locale });
    await context.addCookies(await people[where].context().cookies());
    return context.newPage();
  }

  const SAID =
    /^The log sandbox\.test\/log ended on .* It still shows 3 of 9 published entries, and sandbox\.test\/log-2 goes on\. What it sealed before stays valid\.$/;
  const DICHO =
    /^El registro sandbox\.test\/log terminó el .* Aún muestra 3 de 9 entradas publicadas, y continúa sandbox\.test\/log-2\. Lo que selló antes sigue siendo válido\.$/;

  test.each([
    ['en-US', SAID, 'sealed.json'],
    ['es-MX', DICHO, 'lost.json'],
  ])('/verify says it in %s, and asks nobody', async (locale, said, file) => {
    const page = await browser.newPage({ locale });
    await page.goto(`${service.baseUrl}/verify`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setInputFiles('#bundle', log.at(file));
    await page.locator('.verdict.unsure').waitFor();
    await page.getByText(said).waitFor();
    await page.setInputFiles('#bundle', log.at('fresh.json'));
    await page.getByText(said).waitFor({ state: 'detached' });
    await page.locator('.verdict.unsure').waitFor();
    expect(requests).toEqual([]);
    await page.close();
  });

  test('a shared proof says it, too', async () => {
    const page = await signedIn('portal');
    await page.goto(`${service.baseUrl}/portal/messages/${log.ids.sealed}`);
    await page.getByRole('button', { name: 'Prove it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByRole('dialog', { name: 'The link' }).locator('pre').innerText();
    await page.goto(link);
    await page.getByRole('button', { name: 'Open the proof' }).click();
    await page.getByText(SAID).waitFor();
    await page.context().close();
  });

  test.each([
    ['en-US', SAID, 'Checked in this browser', 'Never sealed'],
    ['es-MX', DICHO, 'Comprobado en este navegador', 'Nunca se sellará'],
  ])(
    'the portal in %s: evidence, and of what is never sealed that it is not',
    async (locale, said, valid, never) => {
      const page = await signedIn('portal', locale);
      await page.goto(`${service.baseUrl}/portal/messages/${log.ids.sealed}/evidence`);
      await page.getByText(valid).waitFor();
      await page.getByText(said).waitFor();
      await page.goto(`${service.baseUrl}/portal/messages/${log.ids.waiting}/evidence`);
      await page.getByText(never).waitFor();
      await page.context().close();
    },
  );

  test('the portal: a bundle by file, and a message by its id', async () => {
    const page = await signedIn('portal');
    await page.goto(`${service.baseUrl}/portal/verify`);
    await page.locator('input[type=file]').first().setInputFiles(log.at('lost.json'));
    await page.getByText(SAID).waitFor();
    await page.goto(`${service.baseUrl}/portal/verify?message_id=${log.ids.sealed}`);
    await page.getByRole('button', { name: 'Verify message' }).click();
    await page.getByText('The log that this message is in has ended').waitFor();
    await page.context().close();
  });

  test('the console: what waited for it is no longer waited for', async () => {
    const page = await signedIn('admin');
    await page.goto(`${service.sandbox.admin_url}/sealing`);
    await page
      .getByText(
        /^The log sandbox\.test\/log ended .* ago; another log continues\. 3 leaves waited for it and will never be sealed\.$/,
      )
      .waitFor();
    await page.context().close();
  });
});
