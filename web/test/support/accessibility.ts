import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
/** Put into the page by the browser's own tools, which its policy does not bind. */
const ENGINE = readFileSync(require.resolve('accessibility-checker-engine/ace.js'), 'utf8');
/** Rules of the checker: WCAG 2.2, levels A and AA. */
const RULES = 'WCAG_2_2';

interface Finding {
  readonly ruleId: string;
  readonly value: readonly [string, string];
  readonly message: string;
  readonly snippet: string;
  readonly path: { readonly dom: string };
}

/** What fails WCAG 2.2 AA on the page as it is now: a line each, empty when nothing does. */
export async function accessibilityFailures(page: Page): Promise<string[]> {
  await page.evaluate(`${ENGINE}; globalThis.aceChecker = ace.Checker;`);
  const results = await page.evaluate(async (rules) => {
    const { aceChecker } = globalThis as unknown as {
      aceChecker: new () => { check(node: Document, rules: string[]): Promise<{ results: Finding[] }> };
    };
    const { results: found } = await new aceChecker().check(document, [rules]);
    return found.map(({ ruleId, value, message, snippet, path }) => ({
      ruleId,
      value,
      message,
      snippet,
      path,
    }));
  }, RULES);
  return results
    .filter(({ value }) => value[0] === 'VIOLATION' && value[1] === 'FAIL')
    .map(({ ruleId, message, snippet, path }) => `${ruleId}: ${message} ${snippet} ${path.dom}`);
}

/** Elements whose text is cut off where it should not be, and pages that are wider than the screen. */
export function clippedText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    const cut = [...document.querySelectorAll<HTMLElement>('button, h1, h2, label, th, nav a')].filter(
      (element) =>
        // Beyond the screen on purpose: for those who listen.
        getComputedStyle(element.closest('thead') ?? element).position !== 'absolute' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 1,
    );
    return [...wide, ...cut.map((element) => `cut: ${element.outerHTML.slice(0, 120)}`)];
  });
}
