import { eventually } from '@acuse/testkit/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFailures, clippedText } from './support/accessibility.ts';
import { pressOn } from './support/keyboard.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

const ATTACHMENT = {
  filename: 'contract.txt',
  content_type: 'text/plain',
  content: Buffer.from('clause one\nclause two\n').toString('base64'),
};
const TEXT = 'Dear Ana,\nyou owe us 100 pesos.\nPlease pay until Friday.\nRegards';

describe.skipIf(!hasBrowser)('evidence of a message (skipped: needs chromium)', () => {
  let portal: Portal;
  let sealed: string;
  let sent: string;
  beforeAll(async () => {
    portal = await startPortal();
    sealed = await portal.send({ subject: 'Contract 77', text: TEXT, attachments: [ATTACHMENT] });
    const message = async () => (await portal.api('GET', `/v1/messages/${sealed}`)).body;
    await eventually(async () => {
      const { sealed_at: sealedAt, status } = await message();
      return sealedAt !== null && status === 'sent';
    });
    const raw = await fetch(`${portal.base}/v1/messages/${sealed}/raw`, {
      headers: { authorization: `Bearer ${portal.server.sandbox!['api_key']}` },
    });
    sent = await raw.text();
  });
  afterAll(() => portal?.stop());

  const quiet = { violations: [], foreign: [], faults: [] };
  const checked = (page: Page) => page.getByText('Checked in this browser');

  test('sent from Home by keys alone, it turns to sealed without a reload and is checked here', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/');
    let loads = 0;
    page.on('load', () => loads++);
    await pressOn(page, page.getByRole('button', { name: 'Send a test' }).first());
    await page.getByRole('dialog').getByLabel('To').waitFor();
    await pressOn(page, page.getByRole('dialog').getByRole('button', { name: 'Send message' }));
    await page.getByRole('heading', { level: 1, name: 'A test of Acuse' }).waitFor();
    await page.getByText('A time-stamp authority confirmed when the content existed.').waitFor();
    await pressOn(page, page.getByRole('link', { name: 'Evidence' }));
    await checked(page).waitFor();
    const chain = page.getByRole('list', { name: 'From the message to the time-stamp' });
    expect(await chain.getByRole('listitem').count()).toBe(5);
    expect(await chain.innerText()).not.toMatch(/fails|not checked/);
    await pressOn(page, page.locator('summary').filter({ hasText: 'Every check' }));
    expect(await page.getByText('Is it in the log?').isVisible()).toBe(true);
    expect(loads).toBe(0);
    expect(watch).toEqual(quiet);
    await close();
  });

  test('a byte of the bundle that changes on its way turns it red and names the check', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await page.route('**/proof-bundle', async (route) => {
      const answer = await route.fetch();
      const body = await answer.body();
      body[Math.floor(body.length / 2)]! ^= 1;
      await route.fulfill({ response: answer, body });
    });
    await visit(`/messages/${sealed}/evidence`);
    await page.getByText('Do not rely on this file').waitFor();
    const failed = page
      .locator('li')
      .filter({ has: page.locator('code') })
      .first();
    expect(await failed.innerText()).toMatch(/^[a-z_.]+\s.+/);
    expect(await checked(page).count()).toBe(0);
    expect([...(await accessibilityFailures(page)), ...(await clippedText(page))]).toEqual([]);
    // Nothing is compared with a bundle that does not hold.
    expect(await page.getByText('Received it?').count()).toBe(0);
    expect(watch).toEqual(quiet);
    await close();
  });

  test('the leaf of another message fails at its step, and what rests on it is not called good', async () => {
    const other = await portal.send({ subject: 'Another' });
    await eventually(async () => (await portal.api('GET', `/v1/messages/${other}`)).body.sealed_at !== null);
    const bundleOf = async (id: string) => {
      const answer = await fetch(`${portal.base}/v1/messages/${id}/proof-bundle`, {
        headers: {
          authorization: `Bearer ${portal.server.sandbox!['api_key']}`,
          accept: 'application/json',
        },
      });
      return (await answer.json()) as { entries: { name: string }[] };
    };
    const [own, foreign] = [await bundleOf(sealed), await bundleOf(other)];
    const entries = own.entries.map((entry) =>
      entry.name === 'manifest.json' ? foreign.entries.find(({ name }) => name === entry.name)! : entry,
    );
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/proof-bundle', (route) => route.fulfill({ json: { ...own, entries } }));
    await visit(`/messages/${sealed}/evidence`);
    await page.getByText('Do not rely on this file').waitFor();
    const chain = page.getByRole('list', { name: 'From the message to the time-stamp' });
    expect(await chain.getByRole('listitem').filter({ hasText: 'Entry of the log' }).innerText()).toContain(
      'fails',
    );
    expect(await page.getByText('inclusion', { exact: true }).first().isVisible()).toBe(true);
    await close();
  });

  async function saves(page: Page, button: string, magic: string): Promise<void> {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    const stream = await (await saved).createReadStream();
    const [first] = (await stream.toArray()) as Buffer[];
    expect(first!.subarray(0, magic.length).toString()).toBe(magic);
  }

  test('the bundle that is saved is the one that was checked, and the report comes with it', async () => {
    const { page, visit, close } = await portal.asViewer();
    await visit(`/messages/${sealed}/evidence`);
    await saves(page, 'Proof bundle', 'PK');
    await saves(page, 'Report (PDF)', '%PDF');
    await close();
  });

  test('a PDF with a time-stamp is bought by who may send, and then read by everybody', async () => {
    const viewer = await portal.asViewer();
    await viewer.visit(`/messages/${sealed}/evidence`);
    await viewer.page.getByRole('button', { name: 'PDF with time-stamp' }).click();
    await viewer.page.getByText('ask a developer or owner of the account for it').waitFor();
    const owner = await portal.asOwner();
    await owner.visit(`/messages/${sealed}/evidence`);
    await saves(owner.page, 'PDF with time-stamp', '%PDF');
    await saves(viewer.page, 'PDF with time-stamp', '%PDF');
    await owner.close();
    await viewer.close();
  });

  async function give(page: Page, content: string) {
    const buffer = Buffer.from(content);
    const file = { name: 'received.eml', mimeType: 'message/rfc822', buffer };
    await page.getByLabel('The message as received (.eml)').setInputFiles(file);
  }
  const layer = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name }).last();

  test('a received copy is compared here: the same, changed with its lines, missing', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    const asked: string[] = [];
    await visit(`/messages/${sealed}/evidence`);
    await checked(page).waitFor();
    page.on('request', (request) => {
      if (request.method() !== 'GET') asked.push(request.url());
    });

    await give(page, `Received: from a by b; Sun, 22 Nov 2026 10:00:00 +0000\r\n${sent}`);
    await page.getByText('This copy is what was sent').waitFor();
    for (const name of ['Header', 'Body', 'Text', 'contract.txt'])
      expect(await layer(page, name).innerText()).toContain('same');

    await give(
      page,
      sent.replace('100 pesos', '900 pesos').replace('Subject: Contract', 'Subject: RE: Contract'),
    );
    await page.getByText('This copy is not what was sent').waitFor();
    expect(await layer(page, 'Header').innerText()).toMatch(
      /−\s*Sent:\s*Subject: Contract 77[\s\S]*\+\s*Received:\s*Subject: RE: Contract 77/,
    );
    expect(await layer(page, 'Text').innerText()).toMatch(/1 line differs[\s\S]*100 pesos[\s\S]*900 pesos/);
    expect(await layer(page, 'contract.txt').innerText()).toContain('same');
    for (const summary of await page.locator('summary').all())
      if (await summary.isVisible()) await summary.click();
    expect([...(await accessibilityFailures(page)), ...(await clippedText(page))]).toEqual([]);

    await give(page, sent.replaceAll('contract.txt', 'other.txt'));
    await layer(page, 'contract.txt').getByText('missing').waitFor();
    expect(await layer(page, 'other.txt').innerText()).toContain('added on the way');

    await give(page, '\0 no message at all');
    await page.getByText('This copy is not what was sent').waitFor();
    expect(asked).toEqual([]);
    expect(watch).toEqual(quiet);
    await close();
  });

  test('plain and waiting messages say why there is nothing to check, and what cannot be proven', async () => {
    const plain = await portal.send({ certified: false });
    const { page, visit, close } = await portal.asOwner();
    await visit(`/messages/${plain}/evidence`);
    await page.getByText('This message has no evidence').waitFor();
    const prove = page.getByRole('button', { name: 'Prove it' });
    expect(await prove.getAttribute('title')).toContain('not certified');
    await pressAnyway(prove);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });

  test('what is promised turns to checked by itself once it is sealed, and cannot be proven before', async () => {
    const { page, visit, close } = await portal.asOwner();
    const path = `**/v1/portal/messages/${sealed}`;
    await page.route(path, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), sealed_at: null } });
    });
    await visit(`/messages/${sealed}/evidence`);
    await page.getByRole('heading', { name: 'Not sealed yet' }).waitFor();
    const prove = page.getByRole('button', { name: 'Prove it' });
    expect(await prove.getAttribute('title')).toContain('not sealed yet');
    await page.unroute(path);
    await checked(page).waitFor();
    expect(await prove.getAttribute('aria-disabled')).toBe(null);
    await close();
  });

  test('of an erased message it says so, and what remains proven is still checked', async () => {
    const id = await portal.send({ subject: 'To be erased' });
    const message = async () => (await portal.api('GET', `/v1/messages/${id}`)).body;
    await eventually(async () => (await message()).sealed_at !== null && (await message()).status === 'sent');
    const operator = await portal.asOperator();
    const { origin } = new URL(String(portal.server.sandbox!['admin_url']));
    const erased = await operator.context.request.post(`${origin}/v1/admin/messages/${id}/erase`, {
      data: { reason: 'court order 7', force: true },
      headers: { origin, 'sec-fetch-site': 'same-origin' },
    });
    expect(erased.status()).toBe(200);
    await operator.close();
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/messages/${id}/evidence`);
    await checked(page).waitFor();
    await page.getByText('The content was deleted, so it can no longer be shown or compared.').waitFor();
    expect(await page.getByText('Received it?').count()).toBe(0);
    await page.getByRole('button', { name: 'Prove it' }).click();
    await page.getByRole('dialog').getByLabel('The whole message').uncheck();
    expect(await page.getByRole('dialog').getByRole('checkbox').count()).toBe(2);
    expect(watch).toEqual(quiet);
    await close();
  });

  test('a bundle that cannot be downloaded leaves an error with a way to try again', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.route('**/proof-bundle', (route) =>
      route.fulfill({
        status: 400,
        headers: { 'Request-Id': 'r-77' },
        json: { error: { code: 'missing_proof_data', message: 'Its proof is not stored.' } },
      }),
    );
    await visit(`/messages/${sealed}/evidence`);
    const alert = page.getByRole('alert');
    await alert.getByText('Its proof is not stored.').waitFor();
    expect(await alert.innerText()).toContain('r-77');
    await page.unroute('**/proof-bundle');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await checked(page).waitFor();
    await close();
  });

  test('in Spanish no English is left but what the checks found', async () => {
    const { page, visit, close } = await portal.asOwner({ locale: 'es-MX' });
    await visit(`/messages/${sealed}/evidence`);
    await page.getByText('Comprobado en este navegador').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    await page.getByRole('button', { name: 'Acreditar' }).click();
    await page.getByRole('dialog', { name: 'Acreditar' }).waitFor();
    const text = await page.evaluate(() => {
      for (const english of document.querySelectorAll('[lang=en], code, h1')) english.remove();
      return document.body.innerText;
    });
    expect(text).not.toMatch(/\b(?:the|with|and|not|sealed|check|proof|link|bundle|shared)\b/i);
    await close();
  });
});
