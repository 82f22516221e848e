import { firstIdAt, timeOf } from '../../platform/ids.ts';
import { eachWord, type Searched } from './words.ts';

/** The words of a run of messages, as rows of search_words. Pure. */

export interface Chunk {
  readonly lastWord: string;
  readonly words: string;
}

/** A row of words: PostgreSQL compresses from 2 kB on, which costs time (characters). */
const CHUNK_CHARS = 1_600;
/** A word in this many messages of a segment is only marked as common: all of them are read. */
const COMMON_FROM = 512;
const COMMON = '*';

interface Posting {
  lastMs: number;
  messages: number;
  places: string;
}

export class SegmentWords {
  readonly #firstMs: number;
  readonly #postings = new Map<string, Posting>();

  /** `afterId`: of the message before. */
  constructor(afterId: string) {
    this.#firstMs = timeOf(afterId).getTime();
  }

  add(messageId: string, message: Searched): void {
    const ms = timeOf(messageId).getTime() - this.#firstMs;
    eachWord(message, (word) => {
      const posting = this.#postings.get(word);
      if (posting === undefined) this.#postings.set(word, { lastMs: ms, messages: 1, places: placeOf(ms) });
      else if (posting.lastMs !== ms) addTo(posting, ms);
    });
  }

  chunks(): Chunk[] {
    const chunks: Chunk[] = [];
    let words = '';
    let lastWord = '';
    for (const word of [...this.#postings.keys()].sort()) {
      lastWord = word;
      words += `\n${word} ${this.#postings.get(word)!.places}`;
      if (words.length < CHUNK_CHARS) continue;
      chunks.push({ lastWord, words });
      words = '';
    }
    if (words !== '') chunks.push({ lastWord, words });
    return chunks;
  }
}

const placeOf = (ms: number) => ms.toString(36);

function addTo(posting: Posting, ms: number): void {
  posting.lastMs = ms;
  posting.messages++;
  if (posting.messages < COMMON_FROM) posting.places += `,${placeOf(ms)}`;
  else posting.places = COMMON;
}

/** Milliseconds in which messages with a word that begins so were accepted. Null: in too many. */
export function placesIn(chunks: readonly string[], afterId: string, beginning: string): Set<number> | null {
  const firstMs = timeOf(afterId).getTime();
  const found = new Set<number>();
  const begins = `\n${beginning}`;
  for (const words of chunks)
    for (let at = words.indexOf(begins); at !== -1; at = words.indexOf(begins, at + 1)) {
      const end = words.indexOf('\n', at + 1);
      const places = words.slice(words.indexOf(' ', at) + 1, end === -1 ? undefined : end);
      if (places === COMMON) return null;
      for (const place of places.split(',')) found.add(firstMs + Number.parseInt(place, 36));
      if (found.size >= COMMON_FROM) return null;
    }
  return found;
}

export function idsAt(ms: number): { from: string; below: string } {
  return { from: firstIdAt(new Date(ms)), below: firstIdAt(new Date(ms + 1)) };
}

export function idAfter(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0').slice(-32);
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
