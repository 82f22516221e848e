import { type TSchema, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { isId } from '../ids.ts';

/**
 * Lists, the same everywhere: newest first by id (UUIDv7), `?limit=` and `?after=<cursor>`, answered as
 * `{data, next_cursor}`. Keyset, never offset: a page costs the same however deep it lies. contract.md
 * "Everywhere".
 */

const DEFAULT_LIMIT = 20;
const CURSOR_EXAMPLE = 'AZrA3sQ7cAGPmsV2_QKZug';
export const MAX_PAGE_LIMIT = 100;

/** The query fields of every list; spread into a route's own querystring object. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'Number of entries to return.',
    }),
  ),
  after: Type.Optional(
    Type.String({ description: 'next_cursor of the previous page.', examples: [CURSOR_EXAMPLE] }),
  ),
};

/** A list's answer in a route's response schema; its name is the item's with `Page`. */
export function pageSchema<T extends TSchema>(item: T) {
  const { $id } = item as { $id?: string };
  return Type.Object(
    {
      data: Type.Array(item),
      next_cursor: Type.Union([Type.String({ examples: [CURSOR_EXAMPLE] }), Type.Null()], {
        description: 'Pass it as after to get the next page; null on the last page.',
      }),
    },
    $id === undefined ? {} : { $id: `${$id}Page` },
  );
}

export interface Page {
  limit: number;
  /** Id of the last row of the page before. */
  afterId: string | null;
  /** What the store is to read: one more than is shown, which tells whether there is a next page. */
  fetch: number;
}

/** Reads a list's query. Throws invalid_parameter. */
export function parsePage(query: { limit?: number | undefined; after?: string | undefined }): Page {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_LIMIT)
    throw apiError('invalid_parameter', `limit must be from 1 to ${MAX_PAGE_LIMIT}.`);
  return { limit, afterId: query.after === undefined ? null : readCursor(query.after), fetch: limit + 1 };
}

/** Makes the answer from rows read with `page.fetch`. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  page: Page,
  idOf: (row: Row) => string,
  present: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, page.limit);
  return {
    data: shown.map(present),
    next_cursor: rows.length > page.limit ? writeCursor(idOf(shown.at(-1)!)) : null,
  };
}

function writeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
}

function readCursor(cursor: string): string {
  const hex = Buffer.from(cursor, 'base64url').toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (!isId(id) || writeCursor(id) !== cursor)
    throw apiError('invalid_parameter', 'after must be the next_cursor of an earlier page.');
  return id;
}
