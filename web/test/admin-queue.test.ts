import { eventually } from '@acuse/testkit/eventually';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DestinationQueue, Queue } from '../shared/api/admin-types.ts';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';

/** Counts of a warm-up as deliveries leave them: one grown, one full, one stopped, one past its last step. */
const COUNTS: readonly [receiver: string, step: number, taken: number, answered: number, away: number][] = [
  ['grown.example', 2, 57, 57, 1],
  ['held.example', 0, 50, 50, 0],
  ['stopped.example', 1, 40, 40, 12],
  ['warm.example', 17, 0, 0, 0],
];

describe.skipIf(!hasBrowser)("the operator's caps and warm-ups (skipped: needs chromium)", () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  test('a warm-up is added, says of each receiver where it stands, and is taken back', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/queue');
    await page.getByText('Nothing is capped.').waitFor();
    await page.getByRole('button', { name: 'Add a cap' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address (EHLO name)').fill('nowhere.example');
    await dialog.getByLabel('Reason').fill('a new address');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('a new address');
    await dialog.getByLabel('Address (EHLO name)').fill('localhost');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row', { name: /Warm-up over 17 days/ });
    await row.getByText('Nothing yet').waitFor();

    await count();
    await visit('/queue');
    await row.getByText('grown.example').waitFor();
    expect(await row.getByRole('listitem').allInnerTexts()).toEqual([
      'grown.example: 57 of 200, has room (day 3)',
      'held.example: 50 of 50, used up (day 1)',
      'stopped.example: 40 of 100, stopped today: too many refusals (day 2)',
      'warm.example: warmed up: no limit',
    ]);
    await row.getByRole('button', { name: /^Take back the cap of address localhost/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.getByText('Nothing is capped.').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a limit for one receiver says for whom it is', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/queue');
    await page.getByRole('button', { name: 'Add a cap' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Kind').selectOption('hour');
    await dialog.getByLabel('Receiver').fill('correo.example');
    await dialog.getByLabel('Messages').fill('500');
    await dialog.getByLabel('Days until it ends').fill('90');
    await dialog.getByLabel('Reason').fill('agreed with <b>them</b>');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row', { name: /500 messages an hour/ });
    await row.getByText('agreed with <b>them</b>').waitFor();
    await row.getByText('receiver correo.example').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the export stands beside the title on a phone', async () => {
    const { page, visit, close } = await portal.asOperator({ viewport: { width: 320, height: 700 } });
    await visit('/queue');
    const title = (await page.getByRole('heading', { level: 1 }).boundingBox())!;
    const button = (await page.getByRole('button', { name: 'Export CSV' }).boundingBox())!;
    expect(button.y).toBeLessThan(title.y + title.height);
    await close();
  });

  test('a destination that was noted breaks behind a dot on a phone, not inside a word', async () => {
    const { page, visit, close } = await portal.asOperator({ viewport: { width: 320, height: 700 } });
    await visit('/queue');
    await page.getByRole('button', { name: 'Add a note' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Destination').fill('boletines.example.net');
    await dialog.getByLabel('Most sessions at once').fill('2');
    await dialog.getByLabel('Why').fill('ticket 4711');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const name = page
      .getByRole('row', { name: /boletines\.example\.net/ })
      .locator('bdi')
      .first();
    await name.waitFor();
    const lines = await name.evaluate((bdi) =>
      [...bdi.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [node.textContent, range.getClientRects().length];
        }),
    );
    expect(lines).toEqual([
      ['boletines.', 1],
      ['example.net', 1],
    ]);
    await close();
  });

  test('why mail waits is shown as the server said it, and what is paused waits to be resumed', async () => {
    const id = await portal.send({ to: 'deferred@sandbox.test' });
    await eventually(async () => (await portal.api('GET', `/v1/messages/${id}`)).body.status === 'deferred');
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/queue?destination=sandbox.test');
    await page.getByRole('table', { name: 'Last replies' }).getByText('Temporary failure').waitFor();
    const row = page.getByRole('table', { name: 'Queue' }).getByRole('row', { name: /sandbox\.test/ });
    await row.getByRole('button', { name: 'Retry…' }).waitFor();
    await row.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why').fill('ticket 4711');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await row.getByRole('cell', { name: 'once resumed' }).waitFor();
    await row.getByRole('button', { name: 'Cancel…' }).waitFor();
    expect(await row.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
    await row.getByRole('button', { name: 'Resume' }).click();
    await page
      .getByText(/sandbox\.test resumed: (?:no message is|1 message is|\d+ messages are) due/)
      .waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('a destination for which nothing waits is paused, and resumed', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/queue?destination=quiet.example');
    await page.getByText('No messages wait for quiet.example.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why').fill('they asked for it');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    const row = page.getByRole('row', { name: /quiet\.example/ });
    await row.getByText(/they asked for it/).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    const startOf = (part: Element) => part.getBoundingClientRect().left;
    const value = await row.getByRole('cell').first().locator('> div').evaluate(startOf);
    const icon = await row.getByRole('button', { name: 'Resume' }).locator('svg').evaluate(startOf);
    expect(icon).toBeCloseTo(value, 0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('No messages wait for quiet.example.').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('the links of what waits lead to the destination, its messages, and the account', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    const tenant = String(portal.server.sandbox!['tenant_id']);
    await page.route(/\/v1\/admin\/queue\?/, async (route) => {
      const known = (await (await route.fetch()).json()) as Queue;
      const [oldest, next] = ['2026-11-20T09:30:00Z', '2026-11-20T10:00:00Z'];
      const key = known.by === 'tenant' ? tenant : 'stuck.example';
      const group = { key, due: 0, held: 0, waiting: 7, capped: 0, oldest_at: oldest, next_at: next };
      await route.fulfill({ json: { ...known, total: group, groups: [group] } });
    });
    await visit('/queue');
    await page.getByRole('link', { name: 'stuck.example' }).click();
    await expect.poll(() => page.getByLabel('Destination').first().inputValue()).toBe('stuck.example');
    await page.getByText('7 messages wait').waitFor();
    await page.getByRole('link', { name: 'See the messages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('stuck.example');
    await visit('/queue?by=tenant');
    await page
      .getByRole('row', { name: new RegExp(tenant) })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
    await page.getByText('Messages of this account that are accepted and not sent yet.').waitFor();
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('why mail waits says that it could not be read, and is read again', async () => {
    const { page, visit, close } = await portal.asOperator();
    const path = '**/v1/admin/queue/destinations/slow.example';
    await page.route(path, (route) => route.fulfill({ status: 503, json: {} }));
    await visit('/queue?destination=slow.example');
    const why = page.locator('section').filter({ hasText: 'Why messages wait' });
    const again = why.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.unroute(path);
    await page.route(path, async (route) => {
      const known = (await (await route.fetch()).json()) as DestinationQueue;
      const reasons = [{ reason: 'greylisted', messages: 7, share: 1 }];
      await route.fulfill({ json: { ...known, deferral_reasons: reasons } });
    });
    await again.click();
    await why.getByRole('row', { name: /The receiver asks|the receiver asks/ }).waitFor();
    expect(await again.count()).toBe(0);
    await close();
  });

  async function count(): Promise<void> {
    const client = new pg.Client({ connectionString: portal.databaseUrl });
    await client.connect();
    await client.query('set role acuse_worker');
    for (const [receiver, ...counts] of COUNTS)
      await client.query(
        `insert into delivery_cap_counts (cap_id, receiver, starts_at, step, taken, answered, turned_away)
         select cap_id, $1, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC', $2, $3, $4, $5
           from delivery_caps`,
        [receiver, ...counts],
      );
    await client.end();
  }
});
