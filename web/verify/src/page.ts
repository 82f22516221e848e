import { readCase } from '@acuse/evidence/case-file';
import type { Json } from '@acuse/evidence/jcs';
import type { Verdict } from '@acuse/evidence/verdict';
import type { Verification } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';
import { element } from '../../shared/evidence/element.ts';
import { toneOf } from '../../shared/evidence/groups.ts';
import { drawReport } from '../../shared/evidence/report.ts';
import { sentenceOf } from '../../shared/evidence/statements.ts';
import { type Language, languageOf } from '../../shared/words/words.ts';
import { PAGE_WORDS, type PageWords } from './words.ts';

/** Shared by both pages: their language, and the place in which a result appears. */
export interface PageFrame {
  words(): PageWords;
  /** Replaces the content, and redraws it when the reader changes the language. */
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

/** From the worst; a case file is as its worst bundle. */
const VERDICTS: readonly Verdict[] = ['rejected', 'unproven', 'incomplete', 'verified'];

interface CaseItem {
  readonly name: string;
  readonly verification: Verification;
}

/** The bundles of a case file, verified one by one. Throws EvidenceError. */
export async function verifyCase(
  file: Uint8Array,
  verify: (bundle: Uint8Array) => Promise<Verification>,
): Promise<CaseItem[]> {
  const found: CaseItem[] = [];
  for (const { name, bytes } of readCase(file, sha256))
    found.push({ name, verification: await verify(bytes) });
  return found;
}

/** A line for each, which opens. */
export function showCase(page: PageFrame, found: readonly CaseItem[]): void {
  const worst = VERDICTS.find((each) => found.some(({ verification }) => verification.verdict === each))!;
  page.result.dataset['valid'] = String(found.every(({ verification }) => verification.valid));
  page.result.dataset['verdict'] = worst;
  page.result.dataset['copy'] = '';
  document.body.dataset['shown'] = 'true';
  page.show((words) => {
    const drawn = document.createDocumentFragment();
    drawn.append(
      element('p', words.caseTitle(found.length), 'verdict'),
      element('p', words.caseMeans, 'means'),
      ...found.map(({ name, verification }, at) => caseItem(`${at + 1}. `, name, verification, words)),
    );
    return drawn;
  });
}

function caseItem(place: string, name: string, of: Verification, words: PageWords): HTMLElement {
  const item = element('details', '', 'case');
  const line = element('summary', '', toneOf(of.verdict));
  const sentence = of.valid ? sentenceOf(of.facts, words.report) : name;
  line.append(element('span', `${place}${sentence}`));
  const outcomes = of.valid ? (of.facts.delivery ?? []) : [];
  for (const { kind, occurred_at: at } of outcomes)
    line.append(element('span', `${words.report.outcome(kind)} · ${words.report.time(at)}`, 'outcome'));
  line.append(element('span', words.report.verdicts[of.verdict], 'answer'));
  item.append(line, drawReport(of, words.report));
  return item;
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
