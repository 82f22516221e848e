import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Attention, Overview } from '../shared/api/admin-types.ts';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

const SINCE = '2026-11-20T09:30:00Z';

describe.skipIf(!hasBrowser)('what needs an operator (skipped: needs chromium)', () => {
  let portal: Portal;
  let receiver: Receiver;
  let tenant: string;
  beforeAll(async () => {
    [portal, receiver] = [await startOwnPortal(), await startReceiver()];
    tenant = String(portal.server.sandbox!['tenant_id']);
  });
  afterAll(async () => {
    await portal?.stop();
    await receiver?.close();
  });

  const clean = { violations: [], foreign: [], faults: [] };
  const main = (page: Page) => page.locator('main');

  /** Each code, and what the page shows that its link leads to. */
  const PLACES: readonly [
    code: Attention['code'],
    subject: string,
    link: string,
    shown: (page: Page) => ReturnType<Page['locator']>,
  ][] = [
    ['log_stopped', 'sandbox.test/log', 'Sealing', titled('Sealing')],
    ['queue_stuck', '5', 'Queue', titled('Queue')],
    ['sealing_late', 'log', 'Sealing', titled('Sealing')],
    ['authority_failing', 'psc-1', 'Sealing', headed('Time-stamping authorities')],
    ['authority_ends_soon', 'psc-1', 'Sealing', headed('Time-stamping authorities')],
    ['constancias_lapsed', '3', 'Sealing', titled('Sealing')],
    [
      'destination_closed',
      'slow.example',
      'slow.example',
      (page) => main(page).getByText('No messages wait for slow.example.'),
    ],
    [
      'destination_paused',
      'paused.example',
      'paused.example',
      (page) => main(page).getByRole('row', { name: /paused\.example.*ticket 4711/ }),
    ],
    ['account_paused', '', 'Sandbox', (page) => main(page).getByText(/^Paused on .*: ticket 4712$/)],
    ['domain_failing', 'gone.example', 'Sandbox', rowOf('Domains of the account', /gone\.example/)],
    ['domain_degraded', 'gone.example', 'Sandbox', rowOf('Domains of the account', /gone\.example/)],
    ['webhook_failing', '', 'Sandbox', rowOf('Webhooks of the account', /ERP.*Failing/)],
  ];

  function titled(title: string) {
    return (page: Page) => main(page).getByRole('heading', { level: 1, name: title, exact: true });
  }
  function headed(part: string) {
    return (page: Page) => main(page).getByRole('heading', { name: part, exact: true });
  }
  function rowOf(table: string, name: RegExp) {
    return (page: Page) => main(page).getByRole('table', { name: table }).getByRole('row', { name });
  }

  test('each of it links to the part of a page that shows it', async () => {
    await portal.api('POST', '/v1/domains', { name: 'gone.example' });
    await portal.api('POST', '/v1/webhooks', { url: receiver.url, events: ['*'], description: 'ERP' });
    await run("update webhook_endpoints set failing_since = now() - interval '1 day'");
    await run(
      `insert into paused_destinations (destination, reason, paused_by, paused_at)
       values ('paused.example', 'ticket 4711', 'Ana', now())`,
    );
    await run(
      `insert into paused_tenants (tenant_id, reason, paused_by, paused_at)
       values ('${tenant}', 'ticket 4712', 'Ana', now())`,
    );
    const { page, visit, watch, close } = await portal.asOperator();
    await page.route('**/v1/admin/overview', async (route) => {
      const known = (await (await route.fetch()).json()) as Overview;
      const attention = PLACES.map(
        ([code, subject]): Attention => ({
          ...{ code, subject, at: SINCE, text: `About ${code}.` },
          ...(/^(?:account|domain|webhook)_/.test(code)
            ? { tenant_id: tenant, tenant_name: 'Sandbox' }
            : { tenant_id: null, tenant_name: null }),
        }),
      );
      await route.fulfill({ json: { ...known, attention } });
    });
    for (const [code, , link, shown] of PLACES) {
      await visit('/');
      await page.getByText('12 things need attention').waitFor();
      const row = page.getByRole('row', { name: new RegExp(`: About ${code}\\.`) });
      await row.getByRole('link', { name: link, exact: true }).click();
      await shown(page)
        .first()
        .waitFor()
        .catch((cause) => {
          throw new Error(`the link of ${code} leads to ${page.url()}, which does not show it`, { cause });
        });
    }
    expect(watch).toEqual(clean);
    await close();
  });

  test("an account's failing webhook says since when, what it answered last, and what helps", async () => {
    const { page, visit, watch, close } = await portal.asSupport({ locale: 'es-MX' });
    await run("update webhook_endpoints set failing_since = '2026-11-20T09:30:00Z'");
    const rows = 'select tenant_id, webhook_id from webhook_endpoints';
    await run(
      `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body,
         created_at)
       select tenant_id, '01a22694-c108-7000-a33e-000000000001', webhook_id,
              '01a22694-c108-7000-a33e-000000000002', '01a22694-c108-7000-a33e-000000000003', 'email.sent',
              '', now() from (${rows}) e`,
    );
    const attempt = (number: number, code: string, error: string) =>
      run(
        `insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code,
           error)
         select tenant_id, '01a22694-c108-7000-a33e-000000000001', ${number}, now(), 31, ${code}, '${error}'
           from (${rows}) e`,
      );
    await attempt(1, '404', 'answered 404');
    await visit(`/tenants/${tenant}/webhooks`);
    const row = page.getByRole('row', { name: /ERP/ });
    await row.getByText('Con fallas').waitFor();
    await row.getByText('Respondió 404').waitFor();
    await row.getByText('compare su ruta con la del programa').waitFor();
    await row.getByText(/Desde .*20 nov.*Se desactiva el .*25 nov/).waitFor();
    expect(await page.content()).not.toContain(new URL(receiver.url).pathname);
    await attempt(2, 'null', 'no answer within 15000 ms');
    await visit(`/tenants/${tenant}/webhooks`);
    await row.getByText('No respondió a tiempo').waitFor();
    await row.getByText('revise si el programa funciona').waitFor();
    await run(
      "update webhook_endpoints set enabled = false, disabled_reason = 'failing', failing_since = null",
    );
    await visit(`/tenants/${tenant}/webhooks`);
    await row.getByText('Desactivado').waitFor();
    await row.getByText('Active el webhook cuando el programa funcione').waitFor();
    await page.getByRole('link', { name: 'Personas de la cuenta' }).click();
    await page.getByRole('table', { name: 'Personas de la cuenta' }).waitFor();
    expect(watch).toEqual(clean);
    await close();
  });

  async function run(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: portal.databaseUrl });
    await client.connect();
    await client.query('set role acuse_worker');
    await client.query(statement);
    await client.end();
  }
});
