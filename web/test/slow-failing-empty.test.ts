import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_PAGES, type Known, PORTAL_PAGES, type VisitedPage } from './pages.mjs';
import { type Answers, answerInPlace, FAILURE_KINDS } from './support/answers.ts';
import { fill } from './support/fill.ts';
import { hasBrowser, type Portal, startOwnPortal } from './support/portal.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

/** A page says after this time what is slow (ms). The page's clock is moved, and nobody waits. */
const SLOW_MS = 3_000;
/** A failed read is repeated twice, after 1 s and 2 s (ms). */
const REPEATED_MS = 2_000;
/** Data this old is read again when somebody looks (ms). */
const OLD_MS = 61_000;
/** Reads that each first need the answer of others. */
const LAYERS_MAX = 5;
/** Far more than a page has buttons to try again. */
const PRESSES_MAX = 30;

/** Reads that a page can do without, and a frame, which loads by itself. */
const BESIDE = /\/v1\/portal\/(?:onboarding|messages\/[^/]+\/reports)|\/v1\/admin\/configuration|\/preview\?/;
/** The navigation reads on every page how many approvals wait. */
const APPROVALS = /\/v1\/portal\/approvals(?:\?|$)/;

/** In either language. */
const LOADING = /Loading…|Cargando…/;
const SLOW = /The answer takes longer than usual\.|La respuesta tarda más de lo normal\./;
const status = (page: Page) => page.locator('main [role=status]');
const silent = (page: Page) => status(page).filter({ hasText: LOADING });
const AGAIN = /^(?:Try again|Intentar de nuevo)$/;
const stale = (page: Page) =>
  page.getByText(
    /Newer data could not be loaded\.|No se pudieron actualizar\.|No connection\. This is what was known at/,
  );

/** Pages that are also tried in Spanish on a phone: a list, a detail, figures, parts that come late. */
const ON_A_PHONE = [
  ...['messages', 'message-evidence', 'suppressions', 'usage'],
  ...['admin-overview', 'admin-queue', 'admin-accounts', 'admin-account-audit'],
];
const PHONE = { locale: 'es-MX', viewport: { width: 320, height: 640 } };

const needSession = ({ open }: VisitedPage) => open !== true;
const needNone = ({ open }: VisitedPage) => open === true;
const onAPhone = ({ name }: VisitedPage) => ON_A_PHONE.includes(name);

const GROUPS = [
  { name: 'portal', pages: PORTAL_PAGES.filter(needSession) },
  { name: 'console', pages: ADMIN_PAGES.filter(needSession) },
  { name: 'portal without a session', pages: PORTAL_PAGES.filter(needNone) },
  { name: 'console without a session', pages: ADMIN_PAGES.filter(needNone) },
  { name: 'portal on a phone, in Spanish', pages: PORTAL_PAGES.filter(onAPhone) },
  { name: 'console on a phone, in Spanish', pages: ADMIN_PAGES.filter(onAPhone) },
] as const;

describe.skipIf(!hasBrowser)('slow, failing and empty answers (skipped: needs chromium)', () => {
  let portal: Portal;
  let known: Known;
  let receiver: Receiver;
  let people: Readonly<Record<(typeof GROUPS)[number]['name'], { page: Page; base: string }>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    portal = await startOwnPortal();
    known = await fill(portal, receiver);
    const own = { ownProfile: true };
    const [{ page: owner }, { page: operator }] = [await portal.asOwner(own), await portal.asOperator(own)];
    const open = [await portal.asStranger(own), await portal.asStranger({ ...own, console: true })] as const;
    const phones = [
      await portal.asOwner({ ...own, ...PHONE }),
      await portal.asOperator({ ...own, ...PHONE }),
    ] as const;
    const bases = [`${portal.base}/portal`, String(portal.server.sandbox!['admin_url'])] as const;
    people = {
      portal: { page: owner, base: bases[0] },
      console: { page: operator, base: bases[1] },
      'portal without a session': { page: open[0].page, base: bases[0] },
      'console without a session': { page: open[1].page, base: bases[1] },
      'portal on a phone, in Spanish': { page: phones[0].page, base: bases[0] },
      'console on a phone, in Spanish': { page: phones[1].page, base: bases[1] },
    };
  });
  afterAll(async () => {
    await portal?.stop();
    await receiver?.close();
  });

  describe.each(GROUPS)('$name', ({ name, pages }) => {
    test.each(pages)('$name says what is slow or failed, and keeps what it showed', async (each) => {
      const { page, base } = people[name];
      await page.clock.install({ time: new Date() });
      const answers = await answerInPlace(page);
      await page.goto(base + each.path(known));
      await page.locator('h1').waitFor({ state: 'attached' });
      // Not by the network: a busy machine is silent for longer than a browser waits to call it idle.
      await untilStill(page, answers);
      await answers.settled();
      const found = await firstReads(page, answers, each);
      found.push(...(await laterReads(page, answers, each)));
      await answers.leave();
      expect(found).toEqual([]);
    });
  });
});

function isOfPage({ name }: VisitedPage, read: string): boolean {
  return name.startsWith('approval') || !APPROVALS.test(read);
}

/** Slow, then failed, then tried again: all that are asked for together, and then those that need them. */
async function firstReads(page: Page, answers: Answers, each: VisitedPage): Promise<string[]> {
  const found: string[] = [];
  for (let layer = 0; answers.held().length > 0; layer++) {
    // Concurrent reads are judged together.
    await answers.settled();
    const kind = FAILURE_KINDS[layer % FAILURE_KINDS.length]!;
    const reads = answers.held();
    const say = (what: string) => void found.push(`${what}: ${reads.join(' ')} (${kind})`);
    if (layer > LAYERS_MAX) {
      say('one read after the other');
      break;
    }
    const isNeeded = reads.some((read) => !BESIDE.test(read) && isOfPage(each, read));
    if ((await page.getByRole('banner').count()) * (await page.locator('h1').count()) !== 1)
      say('no frame with one heading');
    await page.clock.fastForward(SLOW_MS);
    await expect.poll(() => silent(page).count()).toBe(0);
    if (isNeeded && (await shown(page)).loading === 0) say('nothing says that it is slow');
    await answers.fail(kind);
    await untilStill(page, answers, { forwardMs: REPEATED_MS });
    const isWhole = answers.held().length === 0;
    if (isNeeded && isWhole && (await shown(page)).again === 0) say('nothing can be tried again');
    answers.heal();
    // A dialog that came with the data covers the rest.
    if ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape');
    if (!(await tryAgain(page, answers))) say('trying again does not help');
  }
  return found;
}

/**
 * Waits until nothing loads but what the test holds, and returns what is then shown. `forwardMs`: the page's
 * clock moves by this at each look; `orAgain`: something that can be tried again is enough.
 */
async function untilStill(
  page: Page,
  answers: Answers,
  { forwardMs = 0, orAgain = false } = {},
): Promise<Shown> {
  let last: Shown = { loading: 0, again: 0 };
  await expect
    .poll(async () => {
      if (forwardMs > 0) await page.clock.fastForward(forwardMs);
      last = await shown(page);
      return last.loading === 0 || answers.held().length > 0 || (orAgain && last.again > 0);
    })
    .toBe(true);
  return last;
}

/**
 * Presses the buttons until none is left; false if some stay. A part with several reads says that one has
 * failed while another is still on its way, and needs a second press if that fails, too.
 */
async function tryAgain(page: Page, answers: Answers): Promise<boolean> {
  for (let press = 0; press < PRESSES_MAX; press++) {
    await answers.settled();
    const { again } = await untilStill(page, answers, { orAgain: true });
    if (again === 0) return true;
    await pressAgain(page);
  }
  return false;
}

/** Not by the mouse: what then stands below it would be loaded ahead. */
function pressAgain(page: Page): Promise<void> {
  return page.evaluate((source) => {
    const isAgain = new RegExp(source);
    const buttons = [...document.querySelectorAll<HTMLElement>('main button')];
    buttons.find(({ textContent }) => isAgain.test(textContent))?.click();
  }, AGAIN.source);
}

/** Parts that load, and parts that can be tried again, at one moment: a failed part may be read anew. */
interface Shown {
  readonly loading: number;
  readonly again: number;
}

function shown(page: Page): Promise<Shown> {
  return page.evaluate(
    ([loading, again]) => {
      const texts = (selector: string) =>
        [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);
      const count = (selector: string, text: RegExp) =>
        texts(selector).filter((each) => text.test(each)).length;
      return {
        loading: count('main [role=status]', new RegExp(loading)),
        again: count('main button', new RegExp(again)),
      };
    },
    [`${LOADING.source}|${SLOW.source}`, AGAIN.source] as const,
  );
}

/** What is shown is read again: in vain, and then with nothing in the lists. */
async function laterReads(page: Page, answers: Answers, each: VisitedPage): Promise<string[]> {
  const found: string[] = [];
  // A thing that does not exist is no data to keep.
  const isFailure = each.name.endsWith('-unknown');
  const before = await shapeOf(page);
  answers.all('503');
  await readAgain(page, answers);
  const isRead = () => answers.answered().some((read) => isOfPage(each, read));
  if (isRead() && !isFailure) {
    await expect
      .poll(async () => {
        await page.clock.fastForward(REPEATED_MS);
        return stale(page).count();
      })
      .toBeGreaterThan(0);
    if ((await shown(page)).again > 0) found.push('a failed refresh took the place of data');
    const after = await shapeOf(page);
    if (after !== before) found.push(`a failed refresh made ${before} to ${after}`);
  }
  answers.all('empty');
  await readAgain(page, answers);
  if (isRead() && !isFailure) await expect.poll(() => stale(page).count()).toBe(0);
  found.push(...(await bareParts(page)));
  return found;
}

/** As when somebody comes back to the page after a while. */
async function readAgain(page: Page, answers: Answers): Promise<void> {
  await page.clock.fastForward(OLD_MS);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await answers.settled();
}

/** How much of everything there is. */
function shapeOf(page: Page): Promise<string> {
  return page.evaluate(() =>
    ['h1', 'h2', 'tr', 'li', 'dt', 'button']
      .map((name) => `${document.querySelectorAll(`main ${name}`).length} ${name}`)
      .join(', '),
  );
}

/** Tables and lists without anything in them, and pages without a word below the heading. */
function bareParts(page: Page): Promise<string[]> {
  return page.evaluate(() => [
    ...[...document.querySelectorAll('main :is(tbody, ul, ol, dl)')]
      .filter((each) => each.children.length === 0)
      .map((each) => `nothing in ${each.outerHTML.slice(0, 120)}`),
    ...(document.querySelectorAll('h1').length === 1 ? [] : ['no heading']),
  ]);
}
