import type { Tx } from '../../platform/database/db.ts';
import { type IdRange, idRange } from '../../platform/http/created-query.ts';
import { timeOf } from '../../platform/ids.ts';
import { readMessageFilter } from '../list-filter.ts';
import {
  type FoundMessages,
  listMessages,
  listMessagesAt,
  MESSAGES_SCANNED_MAX,
  type MessageFilter,
  type MessageRow,
  readsNewest,
} from '../read-store.ts';
import { idAfter, idsAt, placesIn } from './segment.ts';
import { CHUNKS_MAX, type FoundChunks, findChunks, listSegments, type Segment } from './store.ts';
import { matches } from './words.ts';

/**
 * Messages by words, newest first (docs/decisions/0063). Segments find their messages by words. Other
 * messages are read one by one, and so are those of a segment in which too many have all of the words.
 */
interface WordFilter extends MessageFilter {
  readonly words: readonly string[];
}

/** Shorter ones are in too many messages to be looked up (characters). */
const LOOKED_UP_CHARS = 3;
const LOOKED_UP_WORDS = 3;
/** The cost of a page at most, in messages read one by one: some 40 ms. */
export const COST_MAX = 16_000;
/** Looking up a word in a segment costs as much as reading so many messages. */
const SEGMENT_COST = 8;
/** A message that is read by its id, as against one among its neighbours. */
const PLACE_COST = 3;
/** Looked up at once; more, the longer nothing is found. */
const SEGMENTS_AT_FIRST = 16;
const SEGMENTS_AT_ONCE = 512;
const PLACES_AT_ONCE = 300;

export async function searchMessages(
  tx: Tx,
  tenantId: string,
  range: IdRange,
  filter: WordFilter,
  limit: number,
): Promise<FoundMessages> {
  if (filter.words.length === 0) return { rows: [], end: null };
  const search = new Search(tx, tenantId, range, filter, limit);
  await search.run();
  return { rows: search.rows, end: search.end };
}

/** The newest that have all of the words of a text; `domain`: of this one's addresses alone. */
export async function findByWords(
  tx: Tx,
  tenantId: string,
  { text, domain = null }: { readonly text: string; readonly domain?: string | null },
  limit: number,
): Promise<FoundMessages> {
  const filter = readMessageFilter({ q: text, ...(domain !== null && { to: domain }) });
  const { words = null } = filter;
  return searchMessages(tx, tenantId, idRange(filter, null), { ...filter, words: words ?? [] }, limit);
}

class Search {
  readonly rows: MessageRow[] = [];
  end: FoundMessages['end'] = null;
  #cost = 0;
  readonly #lookedUp: readonly string[];
  readonly #tx: Tx;
  readonly #tenantId: string;
  readonly #range: IdRange;
  readonly #filter: WordFilter;
  readonly #limit: number;

  constructor(tx: Tx, tenantId: string, range: IdRange, filter: WordFilter, limit: number) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#range = range;
    this.#filter = filter;
    this.#limit = limit;
    this.#lookedUp = filter.words
      .filter((word) => word.length >= LOOKED_UP_CHARS)
      .toSorted((a, b) => b.length - a.length)
      .slice(0, LOOKED_UP_WORDS);
  }

  async run(): Promise<void> {
    const { from } = this.#range;
    let { below } = this.#range;
    // With another index, or with short words only, there is nothing to look up.
    if (!readsNewest(this.#filter) || this.#lookedUp.length === 0)
      return void (await this.#readAll({ from, below }));
    for (let count = SEGMENTS_AT_FIRST; ; count = Math.min(4 * count, SEGMENTS_AT_ONCE)) {
      const segments = await listSegments(this.#tx, this.#tenantId, { from, below }, count);
      const newest = segments[0];
      if (newest === undefined) return void (await this.#readAll({ from, below }));
      // Messages newer than all segments, or accepted too late for its own.
      const after = idAfter(newest.lastId);
      if (after < below && !(await this.#readAll({ from: after, below }))) return;
      if (!(await this.#lookThrough(segments, below))) return;
      below = idAfter(segments.at(-1)!.afterId);
      if (segments.length < count) return void (await this.#readAll({ from, below }));
    }
  }

  /** False: the page ends here. */
  async #lookThrough(segments: readonly Segment[], below: string): Promise<boolean> {
    const made = segments.filter((each) => each.made).map(({ afterId }) => afterId);
    const found = new Map<string, FoundChunks>();
    if (made.length > 0)
      for (const each of await findChunks(this.#tx, this.#tenantId, made, this.#lookedUp))
        found.set(each.afterId, each);
    for (const segment of segments) {
      const whole = within(this.#range, {
        from: idAfter(segment.afterId),
        below: lower(below, idAfter(segment.lastId)),
      });
      this.#cost += SEGMENT_COST;
      const chunks = found.get(segment.afterId);
      if (segment.made && chunks === undefined) {
        if (this.#isOver(whole.from)) return false;
        continue;
      }
      const places = chunks === undefined ? null : placesOf(chunks, this.#lookedUp);
      const goesOn = places === null ? await this.#readAll(whole) : await this.#readPlaces(places, whole);
      if (!goesOn) return false;
    }
    return true;
  }

  async #readPlaces(places: readonly number[], whole: IdRange): Promise<boolean> {
    for (let at = 0; at < places.length; at += PLACES_AT_ONCE) {
      const ranges = places
        .slice(at, at + PLACES_AT_ONCE)
        .map((ms) => within(whole, idsAt(ms)))
        .filter(({ from, below }) => from < below);
      if (ranges.length === 0) continue;
      const rows = await listMessagesAt(this.#tx, this.#tenantId, ranges, this.#filter);
      this.#cost += PLACE_COST * ranges.length;
      this.#take(rows);
      if (this.#isOver(ranges.at(-1)!.from)) return false;
    }
    return !this.#isOver(whole.from);
  }

  async #readAll({ from, below: newest }: IdRange): Promise<boolean> {
    for (let below = newest; ; ) {
      const wanted = this.#limit - this.rows.length;
      const { rows, end } = await listMessages(
        this.#tx,
        this.#tenantId,
        { from, below },
        this.#filter,
        wanted,
      );
      this.#take(rows);
      // A full page says nothing of how much was read.
      this.#cost += end === null ? rows.length : MESSAGES_SCANNED_MAX;
      const last = rows.length === wanted ? rows.at(-1)! : end;
      if (last === null) return !this.#isOver(from);
      if (this.#isOver(last.message_id)) return false;
      below = last.message_id;
    }
  }

  #take(rows: readonly MessageRow[]): void {
    const { words, closedSubject } = this.#filter;
    for (const row of rows)
      if (
        this.rows.length < this.#limit &&
        matches(closedSubject === true ? { ...row, subject: '' } : row, words)
      )
        this.rows.push(row);
  }

  /** Everything down to `place` was searched. */
  #isOver(place: string): boolean {
    if (this.rows.length >= this.#limit) return true;
    if (this.#cost < COST_MAX || place <= this.#range.from) return false;
    this.end = { message_id: place, created_at: timeOf(place) };
    return true;
  }
}

/** Milliseconds, newest first. Null: of all messages. */
function placesOf({ chunks, afterId }: FoundChunks, words: readonly string[]): number[] | null {
  let found: Set<number> | null = null;
  for (const [n, word] of words.entries()) {
    if (chunks[n]!.length === CHUNKS_MAX) continue;
    const places = placesIn(chunks[n]!, afterId, word);
    if (places === null) continue;
    found = found === null ? places : intersection(found, places);
  }
  return found === null ? null : [...found].sort((a, b) => b - a);
}

function intersection(a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> {
  return new Set([...a].filter((each) => b.has(each)));
}

const lower = (a: string, b: string) => (a < b ? a : b);
const higher = (a: string, b: string) => (a > b ? a : b);

function within(outer: IdRange, inner: IdRange): IdRange {
  return { from: higher(outer.from, inner.from), below: lower(outer.below, inner.below) };
}
