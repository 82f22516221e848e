import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Language } from '../../shared/words/words.ts';

/** A text of a page, and where it is. */
interface Seen {
  readonly text: string;
  readonly where: string;
}

/** Words that only one of the two languages has: a sentence of some length holds one. */
const TELLTALE: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:the|and|of|with|which|that|this|not|are|was|were|been|has|have|from|your|you|its|for|they|when)\b/i,
  es: /(?:^|[^\p{L}])(?:el|la|los|las|que|del|una|sin|con|por|para|está|son|su|sus|se|como|desde|hasta|más)(?=[^\p{L}]|$)|[ñ¿¡]/iu,
};
/** Stand-ins for the values of a text that takes some. */
const HOLE = '\u0001';
const HOLES = Array.from({ length: 6 }, () => HOLE);
/** Of a text with values, what is left of it must be more than a mark or a unit. */
const LETTERS_MIN = 6;

const catalogues = import.meta.glob('../../{shared,portal,admin,mailbox,verify,frame}/**/*words*.ts', {
  eager: true,
}) as Record<string, Record<string, unknown>>;

/** Texts of either language by their place: whole ones, and those with values as expressions. */
const texts: Readonly<Record<Language, { whole: Set<string>; parts: RegExp[] }>> = {
  en: { whole: new Set(), parts: [] },
  es: { whole: new Set(), parts: [] },
};
for (const module of Object.values(catalogues))
  for (const value of Object.values(module)) if (isWords(value)) collect(value.en, value.es);

/** Values of the contract that people read a word for: `developer`, `bounced`, `email.sent`. */
const rawValues = enumValues();
/** Names that are the same in both languages: of languages, and of algorithms. */
const NAMES: ReadonlySet<string> = new Set(['Español / English', 'Ed25519', 'ML-DSA-44']);

/**
 * Texts on the page, and its labels for those who listen, that are in the other language; raw values of the
 * API are in neither. What has a `lang` of its own is the server's, or another's.
 */
export async function foreignTexts(page: Page, language: Language): Promise<string[]> {
  const seen = await textsOf(page, language);
  const other = language === 'es' ? 'en' : 'es';
  const { whole, parts } = texts[other];
  const mine = texts[language];
  const isForeign = (text: string) =>
    (whole.has(text) && !mine.whole.has(text)) ||
    (TELLTALE[other].test(text) && !TELLTALE[language].test(text)) ||
    (parts.some((part) => part.test(text)) && !mine.parts.some((part) => part.test(text))) ||
    (rawValues.has(text) && !mine.whole.has(text));
  const found = seen.filter(({ text }) => !NAMES.has(text) && isForeign(text));
  return [...new Set(found.map(({ text, where }) => `not in ${language}: “${text}” in ${where}`))];
}

/** Every text node that is shown or said, and the attributes that are. */
function textsOf(page: Page, language: Language): Promise<Seen[]> {
  return page.evaluate((reader) => {
    const found: Seen[] = [];
    const root = document.documentElement;
    if (!root.lang.startsWith(reader)) return [];
    const isOurs = (element: Element) =>
      element.closest('code, pre, textarea, script, style, [translate=no]') === null &&
      element.closest('[lang]') === root;
    const add = (element: Element, text: string | null, how: string) => {
      const plain = (text ?? '').replace(/\s+/g, ' ').trim();
      if (/\p{L}{2}/u.test(plain) && isOurs(element) && element.checkVisibility())
        found.push({ text: plain, where: how + element.outerHTML.slice(0, 100) });
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (element !== null) add(element, walker.currentNode.textContent, '');
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-roledescription'])
      for (const element of document.querySelectorAll(`[${name}]`))
        add(element, element.getAttribute(name), `${name} of `);
    // The thing before it is a stranger's.
    const title =
      document.title
        .replace(/ · Acuse$/, '')
        .split(' · ')
        .at(-1) ?? '';
    found.push({ text: title, where: 'the title' });
    return found;
  }, language);
}

function isWords(value: unknown): value is { en: object; es: object } {
  return typeof value === 'object' && value !== null && 'en' in value && 'es' in value;
}

function isFunction(value: unknown): value is (...values: never[]) => unknown {
  return typeof value === 'function';
}

function collect(english: unknown, spanish: unknown): void {
  if (typeof english === 'string' && typeof spanish === 'string') {
    texts.en.whole.add(english);
    texts.es.whole.add(spanish);
    return;
  }
  if (isFunction(english) && isFunction(spanish)) {
    addExpression('en', english);
    addExpression('es', spanish);
    return;
  }
  if (typeof english !== 'object' || english === null) return;
  for (const [name, value] of Object.entries(english))
    collect(value, (spanish as Record<string, unknown>)[name]);
}

/** The look of a text with values, whatever they are; none where only the values tell. */
function addExpression(language: Language, write: (...values: never[]) => unknown): void {
  let text: string;
  try {
    text = String((write as (...values: unknown[]) => unknown)(...HOLES));
  } catch {
    // It takes a list or an object.
    return;
  }
  if (text.replaceAll(HOLE, '').replace(/[^\p{L}]/gu, '').length < LETTERS_MIN) return;
  const escaped = text.split(HOLE).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  texts[language].parts.push(new RegExp(`^${escaped.join('.+')}$`));
}

function enumValues(): Set<string> {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { enum: values } = node as { enum?: unknown };
    if (Array.isArray(values)) for (const value of values) if (typeof value === 'string') found.add(value);
    for (const child of Object.values(node)) walk(child);
  };
  for (const name of ['portal', 'admin'])
    walk(JSON.parse(readFileSync(new URL(`../../../contract/${name}.json`, import.meta.url), 'utf8')));
  return found;
}
