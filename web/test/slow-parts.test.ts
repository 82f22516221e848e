import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delayEffects } from './support/late-effects.ts';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

/** A slow network: each part of the application comes this much later, past the delay of a skeleton (ms). */
const LATE_MS = 600;

/** A late part takes the place of what was there, and nothing of that stays. */
describe.skipIf(!hasBrowser)('parts that come late (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  async function slowly({ page }: Pick<Visitor, 'page'>): Promise<void> {
    await page.waitForLoadState('networkidle');
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      await route.continue();
    });
  }

  test('a session that cannot be read is read again, and then said under a heading', async () => {
    const { page, close } = await portal.asOwner();
    const busy = { error: { code: 'unavailable', message: 'Too much to do.', param: null } };
    let refused = 0;
    let refusals = 2;
    await page.route('**/v1/portal/session', async (route) => {
      if (refused >= refusals) return route.continue();
      refused++;
      return route.fulfill({ status: 503, json: busy });
    });
    await page.goto(`${portal.base}/portal/`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(refused).toBe(2);

    refusals = Number.POSITIVE_INFINITY;
    await page.reload();
    await page.getByText('Too much to do.').waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('main').count()).toBe(1);
    refusals = 0;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await close();
  });

  test.each(['portal', 'console'])(
    'a fresh load of the %s while nothing answers has a frame, a heading and a way to try again',
    async (which) => {
      const isConsole = which === 'console';
      const { page, visit, close } = isConsole ? await portal.asOperator() : await portal.asOwner();
      const session = isConsole ? '**/v1/admin/session' : '**/v1/portal/session';
      const busy = { error: { code: 'unavailable', message: 'Too much to do.', param: null } };
      let asked = 0;
      let answer: 'none' | 'refusal' = 'none';
      await page.route(session, (route) => {
        asked++;
        return answer === 'none' ? undefined : route.fulfill({ status: 503, json: busy });
      });
      const visited = visit('/');
      await page.getByRole('heading', { name: /^The service does not answer yet\./, level: 1 }).waitFor();
      expect(await page.getByRole('banner').count()).toBe(1);
      expect(await page.locator('main').count()).toBe(1);
      const again = await page.getByRole('button', { name: 'Try again' }).elementHandle();
      answer = 'refusal';
      // The read under way is given up, and not waited for.
      await again!.click();
      await page.getByText('Too much to do.').waitFor();
      expect(asked).toBeGreaterThan(1);
      // The same button: whoever uses a keyboard stays where they are.
      expect(await again!.evaluate((button) => document.activeElement === button)).toBe(true);
      await page.unroute(session);
      await again!.press('Enter');
      await page.getByRole('navigation').first().waitFor();
      await visited;
      await close();
    },
  );

  test('a page that does not come is said under a heading', async () => {
    const { page, close } = await portal.asOwner();
    const part = /\/assets\/page-.*\.js$/;
    await page.route(part, (route) => route.abort());
    await page.goto(`${portal.base}/portal/messages`);
    await page.getByRole('heading', { name: 'This page could not be loaded', level: 1 }).waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('main').count()).toBe(1);
    await page.unroute(part);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    await close();
  });

  test('a page whose effects come after all else is shown, and works', async () => {
    const { page, close } = await portal.asOwner();
    await delayEffects(page, 2 * LATE_MS);
    await slowly({ page });
    await page.goto(`${portal.base}/portal/messages`);
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    await page.locator('nav').getByRole('link', { name: 'Usage and cost', exact: true }).click();
    await page.getByRole('heading', { name: 'Usage and cost', level: 1 }).waitFor();
    await close();
  });

  test('one page after the other', async () => {
    const visitor = await portal.asOwner();
    const { page, visit, close } = visitor;
    await visit('/');
    await slowly(visitor);
    for (const name of ['Messages', 'Usage and cost', 'Home', 'Rates', 'API keys']) {
      await page.locator('nav').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect(await page.locator('h1').allInnerTexts()).toEqual([name]);
    }
    await close();
  });

  test('one tab after the other', async () => {
    const id = await portal.send();
    const visitor = await portal.asOwner();
    const { page, visit, close } = visitor;
    await visit(`/messages/${id}/timeline`);
    await page.locator('main ol').waitFor();
    await slowly(visitor);
    const tabs = page.getByRole('navigation', { name: 'Sections of this page' });
    await tabs.getByRole('link', { name: 'JSON' }).click();
    await page.locator('main pre').first().waitFor();
    expect(await page.locator('main ol').count()).toBe(0);
    await tabs.getByRole('link', { name: 'Timeline' }).click();
    await page.locator('main ol').waitFor();
    expect(await page.locator('main pre').count()).toBe(0);
    expect(await page.locator('h1').count()).toBe(1);
    await close();
  });
});
