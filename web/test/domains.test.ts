import type { PeerAnswer } from '@acuse/testkit/dns-peer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zoneFile } from '../portal/src/pages/domain/zone.ts';
import type { Domain, DomainRecord } from '../shared/api/portal-types.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

describe.skipIf(!hasBrowser)('domains (skipped: needs chromium)', () => {
  let portal: Portal;
  /** The content of the DNS: `TXT name` → value. */
  const zone = new Map<string, string>();
  beforeAll(async () => {
    portal = await startPortal();
    portal.answerDns((name, type): PeerAnswer | undefined => {
      const value = zone.get(`${type} ${name.toLowerCase()}`);
      if (value === undefined) return undefined;
      return { records: [{ type: type as 'TXT', value }] };
    });
  });
  afterAll(() => portal?.stop());

  async function registered(name: string): Promise<Domain> {
    return (await portal.api('POST', '/v1/domains', { name })).body;
  }
  const publish = ({ type, name, value }: DomainRecord) => zone.set(`${type} ${name}`, value);

  test('a domain is added, explained, and turns verified by itself once its records are published', async () => {
    const { page, context, visit, watch, close } = await portal.asOwner();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit('/domains');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Domain').fill('ana@shop.example');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog.getByText('This is an address.').waitFor();
    await dialog.getByLabel('Domain').fill('com');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Enter a domain name such as' }).waitFor();
    await dialog.getByLabel('Domain').fill('https://shop.example/contact?from=mail');
    await dialog.getByText('Adds shop.example.').waitFor();
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor();
    await page.getByText(/^0 of \d records found$/).waitFor();
    await page.getByText('shop.example.shop.example').first().waitFor();

    const { data } = (await portal.api('GET', '/v1/domains')).body;
    const domain: Domain = data.find(({ name }: Domain) => name === 'shop.example');
    const row = page.getByRole('listitem').filter({ hasText: 'Ownership' });
    await row.getByRole('button', { name: 'Copy name of Ownership' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('_acuse-challenge');
    await page.getByLabel('Names of the records').selectOption('full');
    await row.getByRole('button', { name: 'Copy name of Ownership' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('_acuse-challenge.shop.example');
    expect(page.url()).toContain('names=full');
    await page.getByRole('button', { name: 'Copy all as zone file' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(zoneFile(domain));

    const [ownership] = domain.records;
    publish({ ...ownership!, value: `"${ownership!.value}"` });
    await page.getByRole('button', { name: 'Check now' }).click();
    await row.getByText('Quotation marks were published').waitFor();
    await row.getByText('Expected and found').click();
    expect(await row.locator('mark').innerText()).toBe(`"${ownership!.value}"`);

    for (const record of domain.records) publish(record);
    await page.getByText('This domain may send, and all its records are in place.').waitFor();
    await page.getByText('No report has come yet.').waitFor();
    await page.getByText(/^looking again/).waitFor({ state: 'detached' });
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('DKIM keys are rotated: the new ones wait for their records, once', async () => {
    const domain = await registered('rotated.example');
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/domains/${domain.id}`);
    const rotate = page.getByRole('button', { name: 'Rotate DKIM keys' });
    expect(await rotate.getAttribute('aria-disabled')).toBe('true');
    for (const record of domain.records) publish(record);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Signs at present.').first().waitFor();
    await rotate.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate DKIM keys' }).click();
    await page.getByText('New key: signs once its record is found.').first().waitFor();
    expect(await page.getByText('Signs at present.').count()).toBe(2);
    expect(await rotate.getAttribute('aria-disabled')).toBe('true');
    const rotated: Domain = (await portal.api('GET', `/v1/domains/${domain.id}`)).body;
    for (const record of rotated.records) publish(record);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('Old key: keep its record for a week.').first().waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a domain is deleted by its name alone, and its senders are counted first', async () => {
    const domain = await registered('closing.example');
    await portal.api('POST', '/v1/senders', { address: 'a@closing.example' });
    await portal.api('POST', '/v1/senders', { address: '*@closing.example' });
    const { page, visit, watch, close } = await portal.asOwner();
    await visit(`/domains/${domain.id}`);
    const senders = /\/v1\/portal\/senders\?/;
    await page.route(senders, (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: 'Delete domain' }).click();
    const dialog = page.getByRole('dialog');
    const again = dialog.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(senders);
    await again.click();
    await dialog.getByText('Its senders are deleted too: 2.').waitFor();
    await dialog.getByLabel('To confirm, type closing.example').fill('shop.example');
    await dialog.getByRole('button', { name: 'Delete domain' }).click();
    await dialog.getByText('This is not the name of the domain.').waitFor();
    expect((await portal.api('GET', `/v1/domains/${domain.id}`)).status).toBe(200);
    await dialog.getByLabel('To confirm, type closing.example').fill('closing.example');
    await dialog.getByRole('button', { name: 'Delete domain' }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await page.getByRole('cell', { name: 'closing.example' }).waitFor({ state: 'detached' });
    expect((await portal.api('GET', `/v1/domains/${domain.id}`)).status).toBe(404);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a viewer sees all of it, and why nothing can be changed; nothing is looked up for them', async () => {
    const domain = await registered('viewed.example');
    const { page, visit, watch, close } = await portal.asViewer();
    const posts: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
    await visit(`/domains/${domain.id}`);
    for (const name of ['Rotate DKIM keys', 'Delete domain', 'Check now']) {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.focus();
      expect(await button.getAttribute('title')).toContain('your role may read only');
    }
    await page.getByText('Not looked up yet').first().waitFor();
    expect(posts.filter((url) => url.includes('/verify'))).toEqual([]);
    await visit('/domains?status=pending');
    await page.getByRole('link', { name: 'viewed.example' }).waitFor();
    expect(await page.getByRole('link', { name: 'sandbox.test' }).count()).toBe(0);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('an unknown domain says so, and leads to those that exist', async () => {
    const { page, visit, close } = await portal.asOwner();
    await page.goto(`${portal.base}/portal/domains/01a2046c-0000-7000-8000-000000000000`);
    await page.getByText('There is nothing here').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Go to the list' }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    await visit('/');
    await page
      .getByRole('link', { name: 'Go to domains' })
      .or(page.getByRole('link', { name: 'Domains' }))
      .first()
      .waitFor();
    await close();
  });
});
