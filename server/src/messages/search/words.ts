/** Words by which messages are found. Pure. */

export interface Searched {
  readonly header_to: string;
  readonly subject: string;
  readonly last_reply: { readonly code: number; readonly text: string } | null;
}

/** Longer words are found by their beginning (characters). */
const WORD_MAX_CHARS = 40;
const WORDS_MAX = 60;
/** Shortest part of an address that is found (characters). */
const PART_MIN_CHARS = 3;
/** Shortest number within a word that is found: FAC2041 by 2041 (characters). */
const NUMBER_MIN_CHARS = 3;
const NUMBERS_MAX = 2;
/** Words of a reply that look like a queue id: with a digit, and at least so long (characters). */
const QUEUE_ID_MIN_CHARS = 6;
const QUEUE_IDS_MAX = 8;
const QUERY_WORDS_MAX = 8;

const ASCII = /^[\x00-\x7f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]+/g;
const DIGIT = /\d/;

/** Without accents, and in lower case. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower) ? lower : lower.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
}

function wordsOf(text: string): string[] {
  const folded = fold(text);
  return folded.match(ASCII.test(folded) ? ASCII_WORD : WORD) ?? [];
}

const cut = (word: string) => (word.length <= WORD_MAX_CHARS ? word : word.slice(0, WORD_MAX_CHARS));

/** Each must begin a word of the message; all must be found. Empty: nothing can be searched. */
export function queryWords(query: string): string[] {
  return [...new Set(wordsOf(query).map(cut))].slice(0, QUERY_WORDS_MAX);
}

/** Calls `found` for each word of the message, some of them more than once. */
export function eachWord({ header_to: to, subject, last_reply: reply }: Searched, found: Found): void {
  const at = to.lastIndexOf('<');
  if (at > 0) wordsOfText(to.slice(0, at), found);
  wordsOfAddress(at === -1 ? to : to.slice(at + 1), found);
  wordsOfText(subject, found);
  if (reply !== null && reply.code >= 200 && reply.code < 300) queueIds(reply.text, found);
}

type Found = (word: string) => void;

function wordsOfText(text: string, found: Found): void {
  for (const word of wordsOf(text).slice(0, WORDS_MAX)) {
    found(cut(word));
    if (DIGIT.test(word)) numbersIn(word, found);
  }
}

function numbersIn(word: string, found: Found): void {
  let count = 0;
  for (let at = 1; at + NUMBER_MIN_CHARS <= word.length && count < NUMBERS_MAX; at++) {
    if (!isDigit(word, at) || isDigit(word, at - 1)) continue;
    found(cut(word.slice(at)));
    count++;
  }
}

const isDigit = (text: string, at: number) => text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57;

/** Any part of the address: `garcia` finds anagarcia@example.com. */
function wordsOfAddress(address: string, found: Found): void {
  for (const word of wordsOf(address)) {
    found(cut(word));
    for (let at = 1; at + PART_MIN_CHARS <= word.length; at++) found(cut(word.slice(at)));
  }
}

/** "250 2.0.0 Ok: queued as 4XyZ12abc". */
function queueIds(text: string, found: Found): void {
  let count = 0;
  for (const word of wordsOf(text)) {
    if (word.length < QUEUE_ID_MIN_CHARS || !DIGIT.test(word)) continue;
    found(cut(word));
    if (++count === QUEUE_IDS_MAX) return;
  }
}

export function matches(message: Searched, words: readonly string[]): boolean {
  const left = new Set(words);
  eachWord(message, (word) => {
    for (const each of left) if (word.startsWith(each)) left.delete(each);
  });
  return words.length > 0 && left.size === 0;
}

/** Where letters with accents are: Latin, Greek, Cyrillic, and signs that are letters (code points). */
const ACCENTED = [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x1e00, 0x1fff],
  [0x2126, 0x212b],
] as const;

/** Folded letter → all that fold to it. */
const SPELLINGS = new Map<string, string>();
for (const [first, last] of ACCENTED)
  for (let code = first; code <= last; code++) {
    const letter = String.fromCodePoint(code);
    const folded = fold(letter);
    if (folded !== letter && folded.length === 1)
      SPELLINGS.set(folded, (SPELLINGS.get(folded) ?? '') + letter);
  }

/**
 * A regular expression of PostgreSQL for a word of a query, found in every text in which `matches` finds it,
 * and in some others. `inside`: also within a word. The word has letters and digits alone.
 */
export function patternOf(word: string, inside: boolean): string {
  const letters = Array.from(word, (letter) => {
    const all = `${letter}${letter.toUpperCase()}${SPELLINGS.get(letter) ?? ''}`;
    return isDigit(letter, 0) ? letter : `[${all}][\u0300-\u036f]*`;
  }).join('');
  if (inside) return letters;
  return `(^|[^${isDigit(word, 0) ? '' : 'a-zA-Z'}0-9])${letters}`;
}
