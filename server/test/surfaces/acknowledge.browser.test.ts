import { generateKeyPairSync } from 'node:crypto';
import { createDnsClient } from '@acuse/mail/routing/dns-client';
import { createResolver } from '@acuse/mail/routing/resolver';
import { chromiumPath, startBrowser } from '@acuse/testkit/browser';
import { type DnsPeer, startDnsPeer } from '@acuse/testkit/dns-peer';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReturnPathListener } from '../../src/delivery/return-path/return-path-listener.ts';
import type { SmtpListener } from '../../src/platform/smtp/smtp-listener.ts';
import { ACKNOWLEDGE_WORDS } from '../../src/surfaces/acknowledge/words.ts';
import { keyRecord, sendMail, signMail } from '../support/reply-mail.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

const RECIPIENTS = 'cliente.example.com.mx';
const SCANNERS = 'scanner.example';
const own = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const others = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The page of a link in a real browser: for a person on a telephone, and for a scanner of mail. */
describe.skipIf(chromiumPath === null)('the page of a link (skipped: needs chromium)', () => {
  let service: TestService;
  let browser: Browser;
  let base: string;
  let dns: DnsPeer;
  let listener: SmtpListener;
  let port: number;
  beforeAll(async () => {
    service = await startTestService();
    base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await startBrowser();
    dns = await startDnsPeer((name, type) => {
      const key = { [`s1._domainkey.${RECIPIENTS}`]: own, [`s1._domainkey.${SCANNERS}`]: others }[name];
      if (type !== 'TXT' || key === undefined) return { rcode: 3 };
      return { records: [{ type: 'TXT', value: keyRecord(key) }] };
    });
    const query = createDnsClient({ servers: [dns.server], timeoutMs: 2_000, rounds: 1 });
    const { db, clock, log, threads, returnPathSecret } = service.services;
    const resolver = createResolver({ query, now: () => performance.now() });
    listener = createReturnPathListener({
      ...{ db, clock, log, threads, resolver, returnPathSecrets: [returnPathSecret] },
      ...{ hostname: 'mail.acuse.test', hosts: ['mail.acuse.test'], host: '127.0.0.1', port: 0 },
    });
    port = await listener.start();
  });
  afterAll(async () => {
    await browser?.close();
    await listener?.stop();
    await dns?.close();
    await service?.stop();
  });

  interface Asked {
    readonly id: string;
    readonly to: string;
    readonly url: string;
    /** As it was sent. */
    readonly html: string;
  }

  async function ask(at = 'sandbox.test'): Promise<Asked> {
    const to = `luis-${newKey()}@${at}`;
    const { body } = await service.send({
      ...{ to, certified: true, acknowledgement: 'request', text: 'Hola', html: '<p>Hola</p>' },
    });
    await service.db.execute(
      `update messages set status = 'sent', sent_at = created_at, attempts = 1, next_attempt_at = null
        where message_id = $1`,
      [body.id],
    );
    const { raw } = await service.call('GET', `/v1/messages/${body.id}/raw`);
    const text = raw.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const [path] = /\/a\/[a-z2-7]{26}/.exec(text)!;
    return { id: body.id, to, url: `${base}${path}`, html: text.slice(text.indexOf('<p>')) };
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

  /** The mails that the links of a page open, once each. */
  async function mailtosOn(page: Page): Promise<readonly URL[]> {
    const links = page.locator('a[href^="mailto:"]');
    const all = await links.evaluateAll((found) => found.map((each) => each.getAttribute('href')!));
    return [...new Set(all)].map((each) => new URL(each));
  }

  /** As a mail program fills it in, from `from`. */
  function prefilled({ pathname, searchParams }: URL, from: string): { to: string; mail: string } {
    const to = decodeURIComponent(pathname);
    const mail = [
      ...[`From: <${from}>`, `To: <${to}>`, `Subject: ${searchParams.get('subject') ?? ''}`],
      ...[`Date: ${new Date().toUTCString()}`, `Message-ID: <${newKey()}@${SCANNERS}>`, ''],
      ...[searchParams.get('body') ?? '', ''],
    ].join('\r\n');
    return { to, mail };
  }

  test('lets a scanner answer by each mail that it finds, and nothing comes of what it cannot sign', async () => {
    const asked = await ask(RECIPIENTS);
    const page = await browser.newPage();
    await page.setContent(asked.html);
    const found = [...(await mailtosOn(page))];
    await page.goto(asked.url);
    for (const summary of await page.locator('summary').all()) await summary.click();
    for (const link of await page.locator('a[href^="mailto:"]').all()) await link.click();
    expect(page.url()).toBe(asked.url);
    found.push(...(await mailtosOn(page)));
    await page.close();
    // In the message, and on the page.
    expect(found).toHaveLength(2);
    const at = new Date();
    const scanner = `robot@${SCANNERS}`;
    const theirs = { domain: SCANNERS, selector: 's1', key: others, at };
    for (const url of found) {
      const { to: forwardPath, mail } = prefilled(url, asked.to);
      const answers = [
        mail,
        await signMail(mail, theirs),
        // In the name of the recipient's domain, with a key that it does not have.
        await signMail(mail, { ...theirs, domain: RECIPIENTS }),
        await signMail(prefilled(url, scanner).mail, theirs),
        mail.replace('From: ', `From: <${scanner}>\r\nFrom: `),
      ];
      for (const answer of answers) {
        const sent = { forwardPath, ehloName: `mx.${SCANNERS}` };
        const told = await sendMail(port, answer, { ...sent, reversePath: scanner });
        expect([told[0], answer]).toEqual([550, answer]);
        // With nobody to tell, it is taken and ignored.
        expect((await sendMail(port, answer, { ...sent, reversePath: '' }))[0]).toBe(250);
      }
    }
    expect(await leavesOf(asked.id)).toEqual([]);
    // The same mail, which the mailbox's own server signs.
    const { to: forwardPath, mail } = prefilled(found[0]!, asked.to);
    const signed = await signMail(mail, { domain: RECIPIENTS, selector: 's1', key: own, at });
    const sent = { reversePath: asked.to, forwardPath, ehloName: `mx.${RECIPIENTS}` };
    expect((await sendMail(port, signed, sent))[0]).toBe(250);
    expect(await leavesOf(asked.id)).toHaveLength(1);
  });

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
    /** What is read down to a button, and the button pressed. */
    const pressed = async (name: string) => {
      const said = await page.locator('body').innerText();
      await page.getByRole('button', { name, exact: true }).click();
      return said.slice(0, said.indexOf(name) + name.length);
    };
    const first = await pressed('Enviarme un código');
    const code = await codeTo(asked.to);
    const { subject, text } = ACKNOWLEDGE_WORDS.es.mail(code);
    // The code stands in what a telephone shows of a mail, and has a field that needs no touch.
    expect([subject, text.split('\n')[0]]).toEqual([`Su código: ${code}`, `Su código es ${code}`]);
    expect(await page.locator(':focus').getAttribute('name')).toBe('code');
    await page.keyboard.insertText(`Su código es ${code}`);
    await page.getByLabel('Su nombre').fill('Luis Pérez');
    await page.getByRole('checkbox', { name: 'Recibí este mensaje' }).check();
    for (const target of await page.locator('button, summary, label').all())
      if (await target.isVisible()) expect((await target.boundingBox())!.height).toBeGreaterThanOrEqual(48);
    expect((await page.locator('main').boundingBox())!.width).toBeLessThanOrEqual(320);
    const read = [first, subject, text, await pressed('Confirmar recepción')].join(' ');
    // With 5 touches, 17 characters and 2 changes of program, 48 seconds at 200 words a minute.
    expect(read.trim().split(/\s+/).length).toBeLessThanOrEqual(82);
    await page.getByRole('heading', { name: 'Recepción confirmada' }).waitFor();
    expect(await page.getByText(/[0-9a-f]{64}/).isVisible()).toBe(false);
    expect(await leavesOf(asked.id)).toHaveLength(1);
    await context.close();
  });
});
