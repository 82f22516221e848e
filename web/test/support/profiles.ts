import { startBrowser } from '@acuse/testkit/browser';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Watch, watch } from './watch.ts';

/** A browser profile: cookies, storage and cache of its own, watched from its first page on. */
export interface Profile {
  readonly context: BrowserContext;
  readonly watch: Watch;
  /** Its settings: nobody who reads otherwise gets it. */
  readonly key: string;
  readonly origin: string;
}

/** The browser of this worker, which ends with it. */
let browser: Promise<Browser> | null = null;
/** Of visitors who have left: what is cached in them need not be asked for, read and compiled again. */
const left: Profile[] = [];

export async function newProfile(origin: string, looks: BrowserContextOptions): Promise<Profile> {
  browser ??= startBrowser();
  const context = await (await browser).newContext(looks);
  return { context, watch: await watch(context, origin), key: keyOf(origin, looks), origin };
}

/** One that somebody left who read in the same way at the same place. */
export function takeProfile(origin: string, looks: BrowserContextOptions): Profile | undefined {
  const at = left.findIndex(({ key }) => key === keyOf(origin, looks));
  return at === -1 ? undefined : left.splice(at, 1)[0];
}

/** Nothing of a visitor stays but what is cached; where that is not sure, the profile ends. */
export async function leaveProfile(profile: Profile): Promise<void> {
  const { context, origin } = profile;
  const { violations, foreign, faults } = profile.watch;
  const isQuiet = violations.length + foreign.length + faults.length === 0;
  const emptied = await Promise.all(context.pages().map((page) => empty(page, origin)));
  if (!isQuiet || emptied.includes(false)) return context.close();
  await context.clearCookies();
  await context.clearPermissions();
  left.push(profile);
}

/** False where the page was somewhere else in the end, or just then on its way. */
async function empty(page: Page, origin: string): Promise<boolean> {
  if (new URL(page.url()).origin !== origin) return false;
  try {
    await page.evaluate(() => localStorage.clear());
    await page.close();
    return true;
  } catch {
    return false;
  }
}

function keyOf(origin: string, looks: BrowserContextOptions): string {
  return JSON.stringify([origin, Object.entries(looks).sort()]);
}
