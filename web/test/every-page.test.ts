import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../portal/src/routes.ts';
import { type Known, PORTAL_PAGES } from './pages.mjs';
import { accessibilityFailures, clippedText } from './support/accessibility.ts';
import { hasBrowser, type Portal, startPortal } from './support/portal.ts';

/** Each page of the portal in both languages, both themes, on a phone and on a desk. */
const LOOKS = [
  { locale: 'en-US', colorScheme: 'light', width: 1280 },
  { locale: 'es-MX', colorScheme: 'dark', width: 320 },
  { locale: 'es-MX', colorScheme: 'light', width: 320 },
  { locale: 'en-US', colorScheme: 'dark', width: 1280 },
] as const;
const HEIGHT = 900;

test('every page that routes.ts lists is visited', () => {
  const visited = new Set(PORTAL_PAGES.map(({ route }) => route));
  expect(routes.map(({ path }) => path).filter((path) => !visited.has(path))).toEqual([]);
});

describe.skipIf(!hasBrowser)('every page of the portal (skipped: needs chromium)', () => {
  let portal: Portal;
  let known: Known;
  beforeAll(async () => {
    portal = await startPortal();
    const html = '<p>Hello <a href="https://example.com/a">there</a></p>';
    const [sent, deferred] = [
      await portal.send({ html }),
      await portal.send({
        to: 'greylisted@sandbox.test',
        subject: 'A subject of some length: contract of services',
      }),
    ];
    await eventually(async () => (await portal.api('GET', `/v1/messages/${sent}`)).body.sealed_at !== null);
    await eventually(
      async () => (await portal.api('GET', `/v1/messages/${deferred}`)).body.status === 'deferred',
    );
    known = { sent, deferred };
  });
  afterAll(() => portal?.stop());

  test.each(LOOKS)(
    '$locale, $colorScheme, $width px: accessible, within its policy, nothing cut',
    async (look) => {
      const { locale, colorScheme, width } = look;
      const options = { locale, colorScheme, viewport: { width, height: HEIGHT } };
      const [owner, stranger] = [await portal.asOwner(options), await portal.asStranger(options)];
      const failures: Record<string, string[]> = {};
      for (const { name, open, path } of PORTAL_PAGES) {
        const visitor = open === true ? stranger : owner;
        await visitor.visit(path(known));
        await visitor.page.waitForLoadState('networkidle');
        const found = [...(await accessibilityFailures(visitor.page)), ...(await clippedText(visitor.page))];
        expect(await visitor.page.locator('h1').count(), `${name} has one h1`).toBe(1);
        expect(await visitor.page.title()).toMatch(/ · Acuse$|^Acuse$/);
        if (found.length > 0) failures[name] = found;
      }
      expect(failures).toEqual({});
      for (const { watch } of [owner, stranger])
        expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
      await owner.close();
      await stranger.close();
    },
  );
});
