import type { SearchEntry } from './page.ts';

const QUOTED_CHARS = 500;
/** In any script, as the search divides text. */
const WORD = /[\p{L}\p{N}_]+/gu;

/** Quotes a bounded part; later words are kept once each. */
export function bounded(entry: SearchEntry): SearchEntry {
  const text = openingOf(entry.text, QUOTED_CHARS);
  if (text.length === entry.text.length) return entry;
  const quoted = new Set(wordsOf(text));
  const rest = new Set(wordsOf(entry.text.slice(text.length)).filter((word) => !quoted.has(word)));
  return { ...entry, text, words: [...rest].join(' ') };
}

/** Cut at a word. */
export function openingOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf(' ', maxChars);
  return text.slice(0, end === -1 ? maxChars : end);
}

/** Without plain numbers. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []).filter((word) => word.length > 2 && !/^\d+$/.test(word));
}
