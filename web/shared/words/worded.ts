import type { Row } from './said/row.ts';
import { SAID } from './said.ts';
import type { Language } from './words.ts';

/** A value of a sentence as the reader writes it: a time in their zone, a status in their words. */
export type Shown = (name: string, value: string) => string;

interface Pattern {
  readonly pattern: RegExp;
  readonly row: Row;
}

const SLOT = /\{(\w+)\}/g;
/** These hold whole sentences of others, to the end of the text. */
const TO_THE_END = new Set(['reply', 'why']);
const PATTERNS: readonly Pattern[] = SAID.map((row) => ({ pattern: patternOf(row.said), row }));

/**
 * The server's text in the reader's words: each of its sentences has to be one of `said.ts`. Null when one is
 * not; the text is English then.
 */
export function worded(text: string, language: Language, shown: Shown): string | null {
  const words: string[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const found = firstOf(rest);
    if (found === null) return null;
    const { said, es, en = said } = found.row;
    words.push(filled(language === 'es' ? es : en, found.values, shown));
    rest = rest.slice(found.length).trimStart();
  }
  return words.length === 0 ? null : words.join(' ');
}

/** The row with the most words of its own in common with the text. */
function firstOf(text: string) {
  let best: { row: Row; values: Readonly<Record<string, string>>; length: number; fixed: number } | null =
    null;
  for (const { pattern, row } of PATTERNS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const values = match.groups ?? {};
    const fixed = match[0].length - Object.values(values).join('').length;
    if (best === null || fixed > best.fixed) best = { row, values, length: match[0].length, fixed };
  }
  return best;
}

function filled(sentence: string, values: Readonly<Record<string, string>>, shown: Shown): string {
  return sentence.replace(SLOT, (_whole, name: string) => shown(name, values[name] ?? ''));
}

function patternOf(said: string): RegExp {
  const slot = (name: string) => (TO_THE_END.has(name) ? `(?<${name}>.+)` : `(?<${name}>(?:(?!\\. ).)+?)`);
  const source = said
    .split(SLOT)
    .map((part, at) => (at % 2 === 1 ? slot(part) : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}(?=$|\\s)`, 's');
}
