import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_PAGES, type Known, PORTAL_PAGES, PUBLIC_PAGES } from '../pages.mjs';
import {
  accessibilityFailures,
  clippedText,
  colourFailures,
  cutWithoutEllipsis,
  ownWordsCut,
} from './accessibility.ts';
import { fill } from './fill.ts';
import { foreignTexts } from './languages.ts';
import { hasBrowser, type Portal, startOwnPortal, type Visitor } from './portal.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** How somebody reads: each page in both themes, which are the same page in other colours. */
interface Look {
  readonly locale: 'en-US' | 'es-MX';
  readonly width: number;
}

/** In either language. */
const LOADING = /Loading…|Cargando…/;
const HEIGHT = 900;
const WIDTHS = [320, 768, 1280];

const APPLICATIONS = [
  { name: 'portal', pages: PORTAL_PAGES, by: 'portal', titled: true },
  { name: 'console', pages: ADMIN_PAGES, by: 'console', titled: true },
  { name: 'beside both', pages: PUBLIC_PAGES, by: 'portal', titled: false },
] as const;

/** Visits every page. Each look has a file of its own, so that two workers share the pages evenly. */
export function describeEveryPage({ locale, width }: Look): void {
  describe.skipIf(!hasBrowser)('every page (skipped: needs chromium)', () => {
    let portal: Portal;
    let known: Known;
    let receiver: Receiver;
    /** A person who is signed in, and one who is not. */
    let people: Readonly<Record<'portal' | 'console', { insider: Visitor; stranger: Visitor }>>;
    beforeAll(async () => {
      receiver = await startReceiver();
      receiver.answer((response) => response.writeHead(503, { 'retry-after': '60' }).end('<h1>down</h1>'));
      portal = await startOwnPortal();
      known = await fill(portal, receiver);
      const options = { locale, viewport: { width, height: HEIGHT } };
      const [owner, guest] = [await portal.asOwner(options), await portal.asStranger(options)];
      const operator = await portal.asOperator(options);
      const nobody = await portal.asStranger({ ...options, console: true });
      people = {
        portal: { insider: owner, stranger: guest },
        console: { insider: operator, stranger: nobody },
      };
    });
    afterAll(async () => {
      await portal?.stop();
      await receiver?.close();
    });

    const language = locale === 'es-MX' ? 'es' : 'en';
    describe.each(APPLICATIONS)('$name', ({ pages, by, titled }) => {
      test.each(pages)(`$name: accessible, nothing cut, in ${language}, light and dark`, async (each) => {
        const { page, visit } = people[by][each.open === true ? 'stranger' : 'insider'];
        expect(await visit(titled ? each.path(known) : portal.base + each.path(known))).toBe(200);
        if (each.press !== undefined) await page.locator(each.press).first().click();
        if (each.shows !== undefined) await page.locator(each.shows).waitFor();
        await page.waitForLoadState('networkidle');
        await page
          .locator('main [role=status]')
          .filter({ hasText: LOADING })
          .first()
          .waitFor({ state: 'detached' });
        const found = [
          ...(await accessibilityFailures(page)),
          ...(await cutTexts(page)),
          ...(await foreignTexts(page, language)),
          ...(await inTheDark(page)),
          ...(await atOtherWidths(page, width)),
        ];
        expect(found).toEqual([]);
        expect(await page.locator('h1').count()).toBe(1);
        if (titled) expect(await page.title()).toMatch(/ · Acuse$|^Acuse$/);
      });
    });

    test('all of them are within their policy', () => {
      for (const { insider, stranger } of Object.values(people))
        for (const { watch } of [insider, stranger])
          expect(watch).toEqual({ violations: [], foreign: [], faults: [] });
    });
  });
}

async function cutTexts(page: Visitor['page']): Promise<string[]> {
  return [...(await clippedText(page)), ...(await cutWithoutEllipsis(page)), ...(await ownWordsCut(page))];
}

/** Parts that are cut or squeezed on other screens. */
async function atOtherWidths(page: Visitor['page'], own: number): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS.filter((each) => each !== own)) {
    await page.setViewportSize({ width, height: HEIGHT });
    found.push(...(await cutTexts(page)).map((each) => `${width} px: ${each}`));
  }
  await page.setViewportSize({ width: own, height: HEIGHT });
  return found;
}

/** Faults of the page, once judged, in the dark theme. */
async function inTheDark(page: Visitor['page']): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const found = await colourFailures(page);
  await page.emulateMedia({ colorScheme: 'light' });
  return found.map((each) => `dark: ${each}`);
}
