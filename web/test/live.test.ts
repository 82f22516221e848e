import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownWordsCut } from './support/accessibility.ts';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** Events as they happen, watched by somebody. */
describe.skipIf(!hasBrowser)('live (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
    await portal.send({ subject: 'The first one' });
  });
  afterAll(() => portal?.stop());

  test('an event appears by itself on top, unless the page is paused', async () => {
    const { page, visit, watch, close } = await portal.asOwner();
    await visit('/live');
    await page
      .getByRole('row', { name: /The first one/ })
      .first()
      .waitFor();
    await page.getByText('Following: what happens appears here by itself.').waitFor();
    await portal.send({ subject: 'The second one' });
    await page
      .getByRole('row', { name: /The second one/ })
      .first()
      .waitFor();
    expect(await page.locator('tbody tr').first().innerText()).toContain('The second one');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: nothing new is shown until you continue.').waitFor();
    await portal.send({ subject: 'The third one' });
    expect(await page.getByRole('row', { name: /The third one/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page
      .getByRole('row', { name: /The third one/ })
      .first()
      .waitFor();
    // Rows are not read aloud one by one.
    expect(await page.locator('[aria-live] table, [role=status] table, [role=log]').count()).toBe(0);
    expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    await close();
  });

  test('filters are in the address, and begin anew', async () => {
    const { page, visit, close } = await portal.asOwner({ ownProfile: true });
    // What is typed into a field as soon as it is there is kept.
    await delayEffects(page, 1000);
    await portal.send({ subject: 'To somebody else', to: 'bounced@sandbox.test', tags: ['A-7'] });
    await visit('/live?type=email.bounced');
    const row = page.getByRole('row', { name: /To somebody else/ });
    await row.waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Address or domain').fill('nobody@');
    await page.getByRole('heading', { name: 'Nothing like this has happened yet' }).waitFor();
    expect(new URL(page.url()).searchParams.get('address')).toBe('nobody@');
    await page.getByLabel('Address or domain').fill('BOUNCED@sand');
    await row.waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Tag', { exact: true }).fill('A-7');
    await page.getByRole('button', { name: 'Tag A-7 Remove' }).waitFor();
    await row.waitFor();
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'To somebody else' }).waitFor();
    await close();
  });

  test('a lost connection is said, what was shown stays, and it goes on', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/live');
    const first = page.getByRole('row', { name: /The first one/ }).first();
    await first.waitFor();
    await page.route('**/v1/portal/tail*', (route) => route.abort());
    await portal.send({ subject: 'While it was lost' });
    await page.getByText(/^No connection\. This is what was known at/).waitFor();
    expect(await first.isVisible()).toBe(true);
    await page.unroute('**/v1/portal/tail*');
    await page
      .getByRole('row', { name: /While it was lost/ })
      .first()
      .waitFor();
    await page.getByText('Following: what happens appears here by itself.').waitFor();
    await close();
  });

  test('what was missed is said where it is missing', async () => {
    const { page, visit, close } = await portal.asOwner();
    await visit('/live');
    await page
      .getByRole('row', { name: /The first one/ })
      .first()
      .waitFor();
    await page.route('**/v1/portal/tail*', async (route) => {
      const answer = await route.fetch();
      const tail = await answer.json();
      await route.fulfill({ response: answer, json: { ...tail, looked_from: tail.read_at } });
    });
    await portal.send({ subject: 'After the gap' });
    await page.getByText('some events below this one are missing').first().waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await ownWordsCut(page)).toEqual([]);
    await close();
  });
});
