import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

describe.skipIf(!hasBrowser)('a dialog (skipped: needs chromium)', () => {
  let portal: Portal;
  beforeAll(async () => {
    portal = await startPortal();
  });
  afterAll(() => portal?.stop());

  /** As browsers do on Escape where they do not ask the page first. */
  const closeAsBrowser = ({ page }: Visitor) =>
    page.getByRole('dialog').evaluate((dialog: HTMLDialogElement) => dialog.close());

  const withoutFocus = ({ page }: Visitor) =>
    page.evaluate(() => (document.activeElement as HTMLElement).blur());

  test.each([
    ['by Escape', ({ page }: Visitor) => page.keyboard.press('Escape')],
    [
      'by Escape with the focus nowhere',
      async (visitor: Visitor) => {
        await withoutFocus(visitor);
        await visitor.page.keyboard.press('Escape');
      },
    ],
    ['by the browser alone', closeAsBrowser],
  ])('that is closed %s is closed for the page too, and opens again', async (_name, close) => {
    const visitor = await portal.asOwner();
    await visitor.visit('/keys');
    for (let times = 0; times < 2; times++) {
      await visitor.page.getByRole('button', { name: 'Create key' }).first().click();
      await visitor.page.getByRole('dialog').waitFor();
      await close(visitor);
      await visitor.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await visitor.close();
  });

  test('of the pages on a small screen opens again, however it was closed', async () => {
    const visitor = await portal.asOwner({ viewport: { width: 320, height: 640 } });
    const { page } = visitor;
    await visitor.visit('/keys');
    for (const close of [closeAsBrowser, () => page.keyboard.press('Escape'), closeAsBrowser]) {
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await page.getByRole('dialog').waitFor();
      await close(visitor);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(visitor.watch.faults).toEqual([]);
    await visitor.close();
  });
});
