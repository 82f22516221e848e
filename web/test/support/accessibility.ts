import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
/** Put into the page by the browser's own tools, which its policy does not bind. */
const ENGINE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA, and what axe-core recommends beyond them. */
const ALL: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Those of them that judge colours, and so may find something else in another theme of the same page. */
const OF_COLOURS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Findings of axe-core on the page as it is now: a line each, empty when it finds nothing. */
export async function accessibilityFailures(page: Page): Promise<string[]> {
  await page.evaluate(ENGINE);
  return failuresOf(page, ALL);
}

/** The same of a page that was judged before and whose colours have changed since, and nothing else. */
export function colourFailures(page: Page): Promise<string[]> {
  return failuresOf(page, OF_COLOURS);
}

function failuresOf(page: Page, runOnly: RunOnly): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    // Colours that pass into each other are those of neither state.
    const passing = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(passing.map(({ finished }) => finished));
    // Frames show mail of others, in which nothing of ours runs.
    const { violations } = await axe.run(document, {
      runOnly: rules,
      resultTypes: ['violations'],
      iframes: false,
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, target }) => `${id}: ${help} ${html.slice(0, 160)} ${target.join(' ')}`),
    );
  }, runOnly);
}

/** A cell of this width may break a long word: an address, a hash. */
const ROOMY_PX = 110;

/**
 * Elements whose text is cut off where it should not be, cells that are narrower than a word of theirs,
 * headings and cells that break inside a word, and pages that are wider than the screen.
 */
export function clippedText(page: Page): Promise<string[]> {
  return page.evaluate((roomy) => {
    const range = document.createRange();
    /** Words in an element that are on more than one line, with the width that each would have on one. */
    const brokenWords = (element: Element, words: RegExp) => {
      const found: { word: string; inside: Element; width: number }[] = [];
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const { index, 0: word } of (node.textContent ?? '').matchAll(words)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const pieces = [...range.getClientRects()];
          if (new Set(pieces.map(({ top }) => Math.round(top))).size > 1)
            found.push({
              word,
              inside: node.parentElement!,
              width: pieces.reduce((sum, { width }) => sum + width, 0),
            });
        }
      return found;
    };
    const squeezed = [...document.querySelectorAll('td, tbody th')].filter(
      (cell) => cell.clientWidth < roomy && brokenWords(cell, /\S+/g).length > 0,
    );
    /** A line of its own would have had room for the word: of a heading, the line without its buttons. */
    const hasRoom = ({ inside, width }: { inside: Element; width: number }) => {
      let block = inside.closest('main header') ?? inside;
      while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement!;
      return width < block.clientWidth;
    };
    const broken = [...document.querySelectorAll('h1, h2, td, tbody th')].flatMap((element) =>
      brokenWords(element, /[^\s-]+/g)
        .filter((found) => found.inside.closest('code') === null && hasRoom(found))
        .map(({ word }) => `broken inside ${word}: ${element.textContent?.slice(0, 160)}`),
    );
    /** Texts that are cut with an ellipsis on purpose. */
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
    const lead = document.querySelector('main header > p');
    const beside =
      lead !== null &&
      lead.getBoundingClientRect().top < document.querySelector('h1')!.getBoundingClientRect().bottom
        ? ['the lead is not below its heading']
        : [];
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    const cut = [...document.querySelectorAll<HTMLElement>('button, h1, h2, label, th, nav a')].filter(
      (element) =>
        // Beyond the screen on purpose: for those who listen.
        getComputedStyle(element.closest('thead') ?? element).position !== 'absolute' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 1,
    );
    const pen = document.createElement('canvas').getContext('2d')!;
    const unread = [...document.querySelectorAll<HTMLSelectElement>('search select')].filter((select) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select);
      pen.font = font;
      const text = pen.measureText(select.selectedOptions[0]?.text ?? '').width;
      const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return text > room + 1 && select.offsetWidth < select.closest('search')!.clientWidth;
    });
    const shown = (what: string, found: readonly Element[]) =>
      found.map((element) => `${what} (${element.scrollWidth} px): ${element.outerHTML.slice(0, 160)}`);
    return [
      ...wide,
      ...beside,
      ...shown('cut', cut),
      ...shown('a choice that is cut', unread),
      ...shown('squeezed', squeezed),
      ...broken,
      ...shown('wider than its frame', cellsOut),
    ];
  }, ROOMY_PX);
}

/** Below this width a row of a table is two lines or a card (56 rem). */
const ROWS_PX = 896;
/** As wide as an ellipsis. */
const ELLIPSIS_PX = 12;

/**
 * Words of ours that a row of a narrow table cuts: somebody has to open it to read how things are. A
 * stranger's text, such as a subject, may end in an ellipsis.
 */
export function ownWordsCut(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ narrow, ellipsis }) => {
      if (innerWidth > narrow) return [];
      const range = document.createRange();
      const isCut = (text: Node, row: Element) => {
        range.selectNodeContents(text);
        const rects = [...range.getClientRects()];
        for (let each = text.parentElement; each !== null && each !== row; each = each.parentElement) {
          const { overflowX, position, textOverflow } = getComputedStyle(each);
          if (position === 'absolute' || each.matches('bdi, [lang=en]')) return false;
          if (overflowX === 'auto' || overflowX === 'scroll') return false;
          if (overflowX === 'visible') continue;
          const edge = each.getBoundingClientRect();
          // What follows may be cut, and its ellipsis then takes the end of these words.
          const room = textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth + 1 ? ellipsis : -1;
          if (rects.some((at) => at.right > edge.right - room || at.bottom > edge.bottom + 4)) return true;
        }
        return false;
      };
      return [...document.querySelectorAll('tbody tr')].flatMap((row) => {
        const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
          if (isCut(node, row))
            return [`own words are cut: ${node.textContent} in ${row.textContent?.slice(0, 160)}`];
        return [];
      });
    },
    { narrow: ROWS_PX, ellipsis: ELLIPSIS_PX },
  );
}

/** Texts of tables that end at an edge as if they were whole. */
export function cutWithoutEllipsis(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll('td, tbody th')];
    const range = document.createRange();
    /** An ellipsis is drawn by the block whose line is too long, not by a flex container. */
    const isCut = (text: Node, cell: Element) => {
      range.selectNodeContents(text);
      const { right, top, bottom } = range.getBoundingClientRect();
      let line: Element | null = null;
      for (let each = text.parentElement; each !== null && each !== cell; each = each.parentElement) {
        const { display, overflowX, position, textOverflow } = getComputedStyle(each);
        if (position === 'absolute' || display === 'none') return false;
        if (!/^inline(?!-block)/.test(display)) line ??= each;
        if (overflowX === 'visible' || display === 'inline') continue;
        const edge = each.getBoundingClientRect();
        if (overflowX === 'auto' || overflowX === 'scroll' || (top + bottom) / 2 >= edge.bottom) return false;
        if (right > edge.right + 1)
          return (
            line !== each ||
            !/^(?:block|flow-root|inline-block)$/.test(display) ||
            textOverflow !== 'ellipsis'
          );
      }
      return false;
    };
    return cells.flatMap((cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        if (isCut(node, cell)) return [`cut without an ellipsis: ${cell.innerHTML.slice(0, 240)}`];
      return [];
    });
  });
}
