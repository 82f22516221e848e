import { PATIENCE } from '@acuse/testkit/eventually';
import type { Locator } from 'playwright-core';
import { vi } from 'vitest';

/**
 * Clicks a button that is shown as one that may not be used, which `click` would wait for. Again where the
 * page was still growing, and moved it out of sight at that moment.
 */
export async function pressAnyway(button: Locator): Promise<void> {
  await vi.waitFor(() => button.click({ force: true }), PATIENCE);
}

/**
 * Clicks until `opened` is there: a page that still grows may move a button from under the pointer between
 * its being pressed and let go, which is no click then.
 */
export async function pressUntil(button: Locator, opened: Locator): Promise<void> {
  await vi.waitFor(async () => {
    if ((await opened.count()) === 0) await button.click({ timeout: 5_000 });
    await opened.waitFor({ timeout: 5_000 });
  }, PATIENCE);
}
