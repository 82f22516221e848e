import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';
import { pressAnyway } from './support/press.ts';

describe.skipIf(!hasBrowser)('sealing on the console (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startOwnPortal();
  });
  afterAll(() => portal?.stop());

  const clean = { violations: [], foreign: [], faults: [] };

  test('a message that is sealed shows up as a batch without reloading', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/sealing/batches');
    await page.getByText('No batches yet').waitFor();
    await portal.send();
    await page
      .getByRole('row', { name: /Development/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('row', { name: /Acuse development TSA.*Works/ }).waitFor();
    await page.getByText('prove nothing in court').waitFor();
    const renew = page.getByRole('button', { name: 'Renew what is due' });
    expect(await renew.getAttribute('title')).toBe('nothing is due for renewal.');
    expect(watch).toEqual(clean);
    await close();
  });

  test('a check is started here, and its end is seen without reloading', async () => {
    const { page, visit, watch, close } = await portal.asOperator();
    await visit('/sealing');
    await page.getByRole('button', { name: 'Check all evidence' }).click();
    await page.waitForURL(/\/sealing\/checks$/);
    const row = page.getByRole('row').filter({ hasText: 'Clean' });
    await row.getByRole('button', { name: 'Show' }).click();
    await page
      .getByRole('dialog')
      .getByText('Every hash, proof, signature and time-stamp is valid.')
      .waitFor();
    expect(new URL(page.url()).searchParams.get('check')).toMatch(/^[0-9a-f-]{36}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(watch).toEqual(clean);
    await close();
  });

  test('a check that runs shows how far it is, and no second one can be started', async () => {
    await execute(
      `insert into evidence_checks (check_id, status, started_by, started_at, beat_at, phase, done, total)
       values ('01ffffff-0000-7000-8000-000000000001', 'running', 'Ana', now(), now() + interval '1 hour', 'log', 250, 1000)`,
    );
    const { page, visit, close } = await portal.asOperator();
    await visit('/sealing/checks');
    await page.getByText('250 of 1,000 leaves').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Progress of the check' });
    expect(await bar.evaluate((element) => (element as HTMLProgressElement).position)).toBe(0.25);
    const start = page.getByRole('button', { name: 'Check all evidence' });
    expect(await start.getAttribute('title')).toBe('a check is running.');
    await execute("update evidence_checks set done = 500 where status = 'running'");
    await page.getByText('500 of 1,000 leaves').waitFor();
    await execute("delete from evidence_checks where status = 'running'");
    await close();
  });

  test('what somebody changed in the database is found, and the screen names the rule', async () => {
    // Ten times as many leaves and some, however many there are.
    await execute("update checkpoints set note = regexp_replace(note, '\n([0-9]+)\n', '\n\\19\n')");
    const { page, visit, close } = await portal.asOperator();
    await visit('/sealing/checks');
    await page.getByRole('button', { name: 'Check all evidence' }).click();
    const row = page.getByRole('row').filter({ hasText: /rules? (?:is|are) broken/ });
    await row.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row').nth(1).waitFor();
    expect(await dialog.locator('tbody [lang=en]').first().innerText()).not.toBe('');
    await execute("update checkpoints set note = regexp_replace(note, '\n([0-9]+)9\n', '\n\\1\n')");
    await close();
  });

  test('costs are summed by authority for the month in the address', async () => {
    for (const [kind, micros] of [
      ['batch', 41_200_000_000],
      ['renewal', 1_000_000],
    ])
      await execute(
        `insert into sealing_costs (tenant_id, month, kind, authority, items, cost_micros)
         values ($1, '2026-01-01', $2, 'PSC X', 824, $3)`,
        [portal.server.sandbox!['tenant_id'], kind, micros],
      );
    const { page, visit, close } = await portal.asOperator();
    await visit('/sealing/costs?month=2026-01');
    await page.getByRole('row', { name: /PSC X Batches 1 824 MX\$412\.00/ }).waitFor();
    await page.getByText('Total MX$412.01').waitFor();
    await page.getByLabel('Month').selectOption({ index: 1 });
    await page.getByText('No costs').waitFor();
    await close();
  });

  test('support reads all of it, and the buttons say what they lack', async () => {
    const { page, visit, watch, close } = await portal.asSupport();
    await visit('/sealing');
    await page.getByRole('row', { name: /Acuse development TSA/ }).waitFor();
    for (const name of ['Check all evidence', 'Renew what is due']) {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('title')).toContain('this needs the role admin');
    }
    await pressAnyway(page.getByRole('button', { name: 'Check all evidence' }));
    expect(new URL(page.url()).pathname).toBe('/sealing');
    expect(watch).toEqual(clean);
    await close();
  });

  async function execute(text: string, values: unknown[] = []) {
    const client = new pg.Client(portal.databaseUrl);
    await client.connect();
    try {
      // Rows of accounts are shown to nobody but the roles that the service works as.
      await client.query('set role acuse_worker');
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }
});
