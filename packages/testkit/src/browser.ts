import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { PATIENCE_MS } from './eventually.ts';

/** Where Debian and others put Chromium; ACUSE_TEST_CHROMIUM names another. */
const PLACES = [
  process.env['ACUSE_TEST_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Path of a Chromium on this machine, or null: then a test says "skipped: needs chromium". */
export const chromiumPath: string | null =
  PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;

/** Starts it without a window and without calls to its maker; its pages are patient. Close it. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    timeout: PATIENCE_MS,
    executablePath: chromiumPath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  // A browser has no such setting of its own: every context and page is made by this.
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
