import { readBundle } from '@acuse/evidence/bundle';
import { DIGESTED_FROM_BYTES } from '@acuse/evidence/digests';
import { eventually } from '@acuse/testkit/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFailures, clippedText } from './support/accessibility.ts';
import { pressOn, tabTo } from './support/keyboard.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** At the head of the worker: tells the page of each digest. */
const COUNTS_DIGESTS = `{
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const channel = new BroadcastChannel('digests');
  crypto.subtle.digest = (name, bytes) => (channel.postMessage(bytes.byteLength), digest(name, bytes));
}`;

describe.skipIf(!hasBrowser)('verification in the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  let sealed: string;
  let bundle: Buffer;
  let raw: Buffer;
  beforeAll(async () => {
    portal = await startPortal();
    sealed = await portal.send({ subject: 'Contract 77', text: 'you owe us 100 pesos' });
    const message = async () => (await portal.api('GET', `/v1/messages/${sealed}`)).body;
    await eventually(async () => (await message()).sealed_at !== null);
    [bundle, raw] = [await download('proof-bundle'), await download('raw')];
  });
  afterAll(() => portal?.stop());

  async function download(part: string, id = sealed): Promise<Buffer> {
    const answer = await fetch(`${portal.base}/v1/messages/${id}/${part}`, {
      headers: { authorization: `Bearer ${portal.server.sandbox!['api_key']}` },
    });
    return Buffer.from(await answer.arrayBuffer());
  }

  const quiet = { violations: [], foreign: [], faults: [] };
  const give = (page: Page, label: string, name: string, buffer: Buffer) =>
    page.getByLabel(label).setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  /** Requests of the API. Not the session: a late hint that a person joined has the page read it again. */
  const asked = (page: Page) => {
    const seen: string[] = [];
    page.on('request', (request) => {
      const told = `${request.method()} ${new URL(request.url()).pathname}`;
      if (/\/v1\//.test(told) && told !== 'GET /v1/portal/session') seen.push(told);
    });
    return seen;
  };

  test('by id, by keys alone: the server answers with every check, and the query is in the access log', async () => {
    const { page, visit, watch, close } = await portal.asViewer();
    await visit('/');
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor();
    await tabTo(page, page.getByLabel('Message id'));
    await page.keyboard.type(`${sealed} `);
    await page.keyboard.press('Enter');
    await page.getByText('Every check of the server passes').waitFor();
    await pressOn(page, page.locator('summary').filter({ hasText: 'Every check' }));
    await pressOn(page, page.locator('summary').filter({ hasText: 'Is it in the log?' }));
    expect(await page.getByText('stored_root').isVisible()).toBe(true);
    expect(new URL(page.url()).search).toBe(`?message_id=${sealed}`);
    await pressOn(page, page.getByRole('link', { name: 'Access log' }));
    await page.getByRole('heading', { level: 1, name: 'Access log' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Person' });
    expect(await row.innerText()).toMatch(/Valid\s/);
    expect(await row.innerText()).toContain('127.0.0.1');
    expect(watch).toEqual(quiet);
    await close();
  });

  test('a link fills the id in and asks nothing: each query is on record', async () => {
    const { page, visit, close } = await portal.asOwner();
    const seen = asked(page);
    await visit(`/verify?message_id=${sealed}`);
    expect(await page.getByLabel('Message id').inputValue()).toBe(sealed);
    await page.waitForLoadState('networkidle');
    expect(seen.filter((each) => each.startsWith('POST'))).toEqual([]);
    await close();
  });

  test('what is no id is marked, what is unknown is refused in words, and both stay as typed', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/verify');
    const field = page.getByLabel('Message id');
    await field.fill('two words');
    await page.getByRole('button', { name: 'Verify message' }).click();
    await page.getByText('Enter the id of a message, without spaces.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('A-1042');
    await page.getByRole('button', { name: 'Verify message' }).click();
    await page.getByText('it does not exist, or it belongs to another account').waitFor();
    expect(await field.inputValue()).toBe('A-1042');
    await close();
  });

  test('large contents are hashed by WebCrypto: each entry, the body, the attachment', async () => {
    const content = Buffer.alloc(300_000, 'clause ');
    const id = await portal.send({
      subject: 'Contract 78',
      text: 'attached',
      attachments: [{ filename: 'c.txt', content_type: 'text/plain', content: content.toString('base64') }],
    });
    await eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.sealed_at !== null);
    const large = await download('proof-bundle', id);
    const { page, visit, close } = await portal.asOwner();
    await page.route(/worker-[^/]*\.js$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: `${COUNTS_DIGESTS}${await answer.text()}` });
    });
    await visit('/verify');
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      new BroadcastChannel('digests').onmessage = ({ data }) => seen.push(data);
    });
    await give(page, 'Proof bundle (.zip or .json)', 'acuse.zip', large);
    await page.getByText('Checked in this browser').waitFor();
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
    const entries = [...readBundle(large).values()].map(({ length }) => length);
    const expected = entries.filter((length) => length >= DIGESTED_FROM_BYTES);
    expect(expected).toHaveLength(2);
    const more = seen.filter((length) => length >= DIGESTED_FROM_BYTES);
    expect(more).toHaveLength(4);
    expect(more).toEqual(expect.arrayContaining([...expected, content.length]));
    await close();
  });

  test('a bundle, a copy and a policy are verified here: no request is made', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/verify');
    await page.waitForLoadState('networkidle');
    const seen = asked(page);
    await give(page, 'Proof bundle (.zip or .json)', 'acuse.zip', bundle);
    await page.getByText('Checked in this browser').waitFor();
    expect(await page.getByText('The message “Contract 77” from').isVisible()).toBe(true);
    const changed = Buffer.from(raw.toString().replace('100 pesos', '900 pesos'));
    await give(page, 'The message as received (.eml)', 'received.eml', changed);
    await page.getByText('This copy is not what was sent').waitFor();
    await page.getByText('you owe us 900 pesos').waitFor();
    expect([...(await accessibilityFailures(page)), ...(await clippedText(page))]).toEqual([]);
    await give(page, 'Your own trust policy', 'policy.json', Buffer.from('{"type":"other"}'));
    await page.getByText('The policy cannot be used:').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.getByText('Checked in this browser').count()).toBe(0);
    expect(seen).toEqual([]);
    expect(watch).toEqual(quiet);
    await close();
  });

  test.each([
    [
      'a changed byte',
      'Do not rely on this file',
      () => bundle.with(bundle.length >> 1, bundle[bundle.length >> 1]! ^ 1),
    ],
    ['a cut file', 'Do not rely on this file', () => bundle.subarray(0, bundle.length - 40)],
    ['another file', 'Not a proof bundle', () => Buffer.from('%PDF-1.7')],
    ['nothing', 'Not a proof bundle', () => Buffer.alloc(0)],
  ])('%s is called %s', async (_what, verdict, bytes) => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/verify');
    await give(page, 'Proof bundle (.zip or .json)', 'acuse.zip', Buffer.from(bytes()));
    await page.getByText(verdict, { exact: true }).waitFor();
    expect(watch).toEqual(quiet);
    await close();
  });

  test('the access log is filtered by its address, and says when nothing matches', async () => {
    await portal.api('POST', '/v1/verify', { message_id: sealed });
    await portal.api('POST', '/v1/verify', { message_id: 'unknown-77' });
    const { page, visit, close } = await portal.asOwner();
    await visit('/verify/log?message_id=unknown-77');
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.innerText()).toMatch(/No such message[\s\S]*API key/);
    await page.getByLabel('Message id').fill('nothing like this');
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(new URL(page.url()).searchParams.get('message_id')).toBe('nothinglikethis');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows.nth(1).waitFor();
    await page.getByLabel('Result', { exact: true }).selectOption('not_found');
    await eventually(async () => !(await rows.allInnerTexts()).some((text) => /\bValid\b/.test(text)));
    expect(new URL(page.url()).search).toBe('?result=not_found');
    await close();
  });

  test('what comes in appears in the access log by itself', async () => {
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    await page.clock.install();
    await visit('/verify/log?message_id=unknown-78');
    await page.getByText('Nothing matches these filters.').waitFor();
    await portal.api('POST', '/v1/verify', { message_id: 'unknown-78' });
    await page.clock.runFor(11_000);
    await page.getByRole('row').filter({ hasText: 'unknown-78' }).waitFor();
    await close();
  });
});
