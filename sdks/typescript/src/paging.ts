/** Lists: their items one after the other, each page requested when it is reached. */
import type { Calls } from './calls.ts';
import { ProtocolError } from './errors.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';

/** A page as the API answers it. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/** `for await (const item of listing)`; `pages()` gives whole pages. Nothing is requested before. */
export interface Listing<Item, P extends Page<Item> = Page<Item>> extends AsyncIterable<Item> {
  pages(): AsyncIterable<P>;
  /** The first page. */
  page(): Promise<P>;
  /** All items in a list; `max` is required so that a long list cannot fill the memory unasked. */
  toArray(max: number): Promise<Item[]>;
}

interface ListInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly options?: CallOptions | undefined;
}

export function listing<Item, P extends Page<Item>>(
  calls: Calls,
  operation: Operation,
  input: ListInput,
): Listing<Item, P> {
  const request = async (after: string | undefined) => {
    const query = after === undefined ? input.query : { ...input.query, after };
    return (await calls.value(operation, { ...input, query })) as P;
  };
  async function* pages(): AsyncGenerator<P> {
    const seen = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await request(after);
      yield page;
      if (page.next_cursor === null) return;
      if (seen.has(page.next_cursor))
        throw new ProtocolError(
          `${operation.name} answered the same next_cursor twice: the list would never end.`,
        );
      seen.add(page.next_cursor);
      after = page.next_cursor;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) yield* page.data;
  }
  return {
    [Symbol.asyncIterator]: items,
    pages,
    page: () => request(undefined),
    async toArray(max) {
      const all: Item[] = [];
      if (max <= 0) return all;
      for await (const item of items()) if (all.push(item) >= max) break;
      return all;
    },
  };
}
