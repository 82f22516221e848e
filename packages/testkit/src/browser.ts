import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { PATIENCE_MS } from './eventually.ts';

/**
 * Where Debian and others put Chromium; ACUSE_TEST_CHROMIUM names another. First the shell without windows:
 * it is the same engine, and a page costs it half as much.
 */
const PLACES = [
  process.env['ACUSE_TEST_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Path of a Chromium on this machine, or null: then a test says "skipped: needs chromium". */
export const chromiumPath: string | null =
  PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;

/**
 * Playwright's list of what it switches off, as far as it matters here: of two such lists Chromium reads the
 * last.
 */
const OF_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
/**
 * Processes that nobody sees: a full Chromium draws its own controls, without a window too, by pages of their
 * own for each profile, and keeps one more in reserve. Without them a page costs half as much.
 */
const UNSEEN = [
  'InitialWebUI',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

/** Starts it without a window and without calls to its maker; its pages are patient. Close it. */
export async function startBrowser(): Promise<Browser> {
  // Only here: who is skipped does not wait for it.
  const { chromium } = await import('playwright-core');
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
      `--disable-features=${[...OF_PLAYWRIGHT, ...UNSEEN].join(',')}`,
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
