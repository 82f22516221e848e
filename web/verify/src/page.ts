import type { Json } from '@acuse/evidence/jcs';
import type { Verification } from '@acuse/evidence/verify';
import { element } from '../../shared/evidence/element.ts';
import { drawReport } from '../../shared/evidence/report.ts';
import { type Language, languageOf } from '../../shared/words/words.ts';
import { PAGE_WORDS, type PageWords } from './words.ts';

/** Shared by both pages: their language, and the place in which a result appears. */
export interface PageFrame {
  words(): PageWords;
  /** Replaces what is shown, and again in the other language when the reader changes it. */
  show(draw: (words: PageWords) => Node): void;
  /** Sets what tests and styles tell by. */
  readonly result: HTMLElement;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** `title`: the word that the tab shows. */
export function startPage(title: 'title' | 'proveTitle'): PageFrame {
  let language: Language = languageOf(navigator.languages);
  let drawn: ((words: PageWords) => Node) | null = null;
  const result = byId('result');
  const words = () => PAGE_WORDS[language];
  const speak = () => {
    document.documentElement.lang = language === 'es' ? 'es-MX' : 'en';
    document.title = words()[title];
    for (const node of document.querySelectorAll<HTMLElement>('[data-word]'))
      node.textContent = words()[node.dataset['word'] as 'title'];
    for (const node of document.querySelectorAll<HTMLElement>('[data-language]'))
      node.setAttribute('aria-pressed', String(node.dataset['language'] === language));
    if (drawn !== null) result.replaceChildren(drawn(words()));
  };
  for (const node of document.querySelectorAll<HTMLElement>('[data-language]'))
    node.addEventListener('click', () => {
      language = node.dataset['language'] as Language;
      speak();
    });
  byId('print').addEventListener('click', () => print());
  speak();
  return {
    words,
    result,
    show(draw) {
      drawn = draw;
      result.replaceChildren(draw(words()));
    },
  };
}

/**
 * Draws a verification, and says on the page that there is something to print. `askPath`: where this server's
 * log can be asked again about the message, if it is its own.
 */
export function showVerification(page: PageFrame, verification: Verification, askPath?: string): void {
  page.result.dataset['valid'] = String(verification.valid);
  page.result.dataset['verdict'] = verification.verdict;
  page.result.dataset['copy'] = verification.eml?.verdict ?? '';
  document.body.dataset['shown'] = String(verification.is_bundle);
  page.show((words) => {
    const drawn = drawReport(verification, words.report);
    if (askPath !== undefined) drawn.append(askAgain(askPath, words));
    return drawn;
  });
}

/** A link, which the reader follows: the page itself asks nobody. */
function askAgain(path: string, { ask, askHint }: PageWords): HTMLElement {
  const made = element('p', '', 'ask');
  const link = element('a', ask);
  link.href = `/log/${path}`;
  link.target = '_blank';
  link.rel = 'noopener';
  made.append(link, element('br'), element('span', askHint, 'quiet'));
  return made;
}

/** Says so where this browser withholds what verifying needs. False: nothing can be verified on this page. */
export function canVerify(page: PageFrame): boolean {
  if (globalThis.crypto?.subtle !== undefined) return true;
  page.show(({ insecure, insecureMeans }) => message(insecure, insecureMeans));
  return false;
}

/** A short verdict without a bundle: what is wrong, and what to do. */
export function message(title: string, means: string): DocumentFragment {
  const made = document.createDocumentFragment();
  made.append(element('p', title, 'verdict bad'), element('p', means));
  return made;
}

/** Signed ends of this server's logs, as it put them into the page; they are believed only if they verify. */
export function logEnds(): string[] {
  return told('acuse-log-ends') as string[];
}

/** The owner of this server's keys, as it put them into the page. */
export function ownPolicy(): Json {
  return told('acuse-policy');
}

function told(name: string): Json {
  return JSON.parse(document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)!.content) as Json;
}
