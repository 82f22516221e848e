import { readFileSync } from 'node:fs';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal, type Visitor } from './support/portal.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

/** Lists as files, which hold what the list is filtered by. */
describe.skipIf(!hasBrowser)('lists as CSV (skipped: needs chromium)', () => {
  let portal: Portal;
  let receiver: Receiver;
  let account: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    portal = await startOwnPortal();
    account = `/tenants/${portal.server.sandbox!['tenant_id']}`;
    await portal.api('POST', '/v1/webhooks', { url: receiver.url, events: ['email.sent'] });
    await portal.api('POST', '/v1/templates', { name: 'invoice', subject: 'Invoice {{ n }}', text: 'Hello' });
    const id = await portal.send({ tags: ['invoices'] });
    await portal.send({ to: 'greylisted@sandbox.test' });
    const message = async () => (await portal.api('GET', `/v1/messages/${id}`)).body;
    await eventually(async () => (await message()).sealed_at !== null);
  });
  afterAll(async () => {
    await portal?.stop();
    await receiver?.close();
  });

  async function saved(page: Visitor['page'], index = 0): Promise<[string, string]> {
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).nth(index).click();
    const file = await begun;
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8').replace('\ufeff', '')];
  }

  test('of the portal: webhooks, templates, and rates by where messages went', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/webhooks');
    expect(await saved(page)).toEqual([
      'webhooks.csv',
      expect.stringMatching(/^id,url,.*\r\n.*,http:[^,]+\/hooks,,"\[""email\.sent""\]",true,/),
    ]);
    await visit('/templates');
    expect(await saved(page)).toEqual([
      'templates.csv',
      expect.stringMatching(/^id,name,version,subject,.*\r\n.*,invoice,1,Invoice \{\{ n \}\},/),
    ]);
    await visit('/rates?days=24h&tag=invoices');
    await page.getByRole('heading', { name: 'By destination' }).waitFor();
    expect(await saved(page)).toEqual([
      'rates-destinations.csv',
      'name,ingested,sent,deferred,bounced,complained\r\nsandbox.test,1,1,0,0,0\r\n',
    ]);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('of the console: operators, people, domains and keys of an account, and the queue', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    for (const [path, name, content] of [
      ['/operators', 'operators.csv', /^id,email,name,role,.*\r\n.*,admin,/],
      [`${account}/people`, 'account-people.csv', /^id,email,.*\r\n.*,owner,active,/],
      [`${account}/domains`, 'account-domains.csv', /^id,name,status,.*\r\n.*,sandbox\.test,verified,/],
      [`${account}/keys`, 'account-keys.csv', /^id,name,scopes,.*\r\n.*,Sandbox,/],
      ['/queue?by=tenant', 'queue-by-tenant.csv', /^key,due,held,waiting,.*\r\n[0-9a-f-]{36},/],
      ['/queue?destination=nothing.example', 'queue-by-destination.csv', /^key,[^\r]*\r\n$/],
    ] as const) {
      await visit(path);
      expect(await saved(page), path).toEqual([name, expect.stringMatching(content)]);
    }
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('batches of some days, which the link keeps', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/sealing/batches');
    const batch = page.locator('tbody tr').first();
    await batch.waitFor();
    const lines = async () => (await saved(page))[1].trimEnd().split('\r\n');
    const [head, first] = await lines();
    expect([head, first]).toEqual([
      expect.stringMatching(/^id,origin,created_at,leaves,/),
      expect.stringMatching(/,development,/),
    ]);
    await page.getByLabel('Period (UTC)').selectOption('1');
    await expect.poll(() => new URL(page.url()).search).toBe('?days=1');
    await page.goto(`${page.url().split('?')[0]}?created_before=2026-01-05T00:00:00.000Z`);
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(await lines()).toHaveLength(1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await batch.waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });
});
