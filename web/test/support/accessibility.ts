import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
/** Put into the page by the browser's own tools, which its policy does not bind. */
const ENGINE = readFileSync(require.resolve('accessibility-checker-engine/ace.js'), 'utf8');
/** Rules of the checker: WCAG 2.2, levels A and AA. */
const RULES = 'WCAG_2_2';
/** Those of them that judge colours, and so may find something else in another theme of the same page. */
const OF_COLOURS = ['text_contrast_sufficient'];

interface Guideline {
  readonly id: string;
  readonly checkpoints: readonly { readonly rules?: readonly { id: string; level: string }[] }[];
}

interface Finding {
  readonly ruleId: string;
  readonly value: readonly [string, string];
  readonly message: string;
  readonly snippet: string;
  readonly path: { readonly dom: string };
}

interface Checker {
  getGuidelines(): Guideline[];
  addGuideline(guideline: Guideline): void;
  check(node: Document, rules: string[]): Promise<{ results: Finding[] }>;
}

/** What fails WCAG 2.2 AA on the page as it is now: a line each, empty when nothing does. */
export async function accessibilityFailures(page: Page): Promise<string[]> {
  await putIn(page);
  return failuresOf(page, 'all');
}

/** The same of a page that was judged before and whose colours have changed since, and nothing else. */
export function colourFailures(page: Page): Promise<string[]> {
  return failuresOf(page, 'colours');
}

/** Rules whose findings are recommendations at most are left out: they take a third of the time. */
async function putIn(page: Page): Promise<void> {
  await page.evaluate(`${ENGINE}; globalThis.aceChecker = new ace.Checker();`);
  await page.evaluate(
    ({ rules, colours }) => {
      const { aceChecker } = globalThis as unknown as { aceChecker: Checker };
      const whole = aceChecker.getGuidelines().find(({ id }) => id === rules)!;
      const listed = whole.checkpoints.flatMap((each) => each.rules ?? []);
      const failing = listed.filter(({ level }) => level === 'VIOLATION').map(({ id }) => id);
      for (const [id, ids] of [
        ['all', new Set(failing)],
        ['colours', new Set(colours)],
      ] as const) {
        const checkpoints = whole.checkpoints.map((each) => ({
          ...each,
          rules: (each.rules ?? []).filter((rule) => ids.has(rule.id)),
        }));
        aceChecker.addGuideline({ ...whole, id, checkpoints });
      }
    },
    { rules: RULES, colours: OF_COLOURS },
  );
}

async function failuresOf(page: Page, guideline: 'all' | 'colours'): Promise<string[]> {
  return page.evaluate(async (id) => {
    const { aceChecker } = globalThis as unknown as { aceChecker: Checker };
    const { results } = await aceChecker.check(document, [id]);
    return results
      .filter(({ value }) => value[0] === 'VIOLATION' && value[1] === 'FAIL')
      .map(({ ruleId, message, snippet, path }) => `${ruleId}: ${message} ${snippet} ${path.dom}`);
  }, guideline);
}

/** A cell of this width may break a long word: an address, a hash. */
const ROOMY_PX = 110;

/**
 * Elements whose text is cut off where it should not be, cells that are narrower than a word of theirs, and
 * pages that are wider than the screen.
 */
export function clippedText(page: Page): Promise<string[]> {
  return page.evaluate((roomy) => {
    const range = document.createRange();
    /** Of the longest word in an element, were it on one line; words are measured by how they are broken. */
    const isSqueezed = (cell: Element) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S+/g)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1 && cell.clientWidth < roomy) return true;
        }
      return false;
    };
    const squeezed = [...document.querySelectorAll('td, tbody th')].filter(isSqueezed);
    /** What is cut with an ellipsis is so on purpose. */
    const isCut = (inside: Element, table: Element) => {
      for (let each = inside.parentElement; each !== null && each !== table; each = each.parentElement)
        if (getComputedStyle(each).textOverflow === 'ellipsis') return true;
      return false;
    };
    const widest = (table: HTMLElement) => table.parentElement?.getBoundingClientRect().right ?? 0;
    const cellsOut = [...document.querySelectorAll('table')].flatMap((table) =>
      [...table.querySelectorAll('td, tbody th, td *, tbody th *')].filter(
        (inside) => inside.getBoundingClientRect().right > widest(table) + 1 && !isCut(inside, table),
      ),
    );
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    const cut = [...document.querySelectorAll<HTMLElement>('button, h1, h2, label, th, nav a')].filter(
      (element) =>
        // Beyond the screen on purpose: for those who listen.
        getComputedStyle(element.closest('thead') ?? element).position !== 'absolute' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 1,
    );
    const shown = (what: string, found: readonly Element[]) =>
      found.map((element) => `${what} (${element.scrollWidth} px): ${element.outerHTML.slice(0, 160)}`);
    return [
      ...wide,
      ...shown('cut', cut),
      ...shown('squeezed', squeezed),
      ...shown('wider than its frame', cellsOut),
    ];
  }, ROOMY_PX);
}
