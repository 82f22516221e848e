import { type TProperties, type TSchema, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { isId } from '../ids.ts';
import { sha256 } from '../sha256.ts';

/**
 * All lists: newest first by UUIDv7, `?limit=` and `?after=<cursor>`, answered as `{data, next_cursor}`.
 * Keyset pagination: the cost does not grow with depth.
 */

const DEFAULT_LIMIT = 20;
const CURSOR_EXAMPLE = 'AZrA3sQ7cAGPmsV2_QKZugxV0mE';
export const MAX_PAGE_LIMIT = 100;

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

/** A list's response schema, named after the item with `Page`. */
export function pageSchema<T extends TSchema, More extends TProperties = Record<never, never>>(
  item: T,
  more: More = {} as More,
) {
  const { $id } = item as { $id?: string };
  return Type.Object(
    {
      data: Type.Array(item),
      next_cursor: Type.Union([Type.String({ examples: [CURSOR_EXAMPLE] }), Type.Null()], {
        description: 'Pass it as after to get the next page; null on the last page.',
      }),
      ...more,
    },
    $id === undefined ? {} : { $id: `${$id}Page` },
  );
}

export interface Page {
  limit: number;
  afterId: string | null;
  /** One more than is shown, to know whether there is a next page. */
  fetch: number;
  /** The list and its filters, to which the cursor belongs. */
  list: string;
}

interface PageQuery {
  limit?: number | undefined;
  after?: string | undefined;
}

interface ListRequest {
  readonly query: PageQuery;
  readonly params?: unknown;
  readonly routeOptions: {
    readonly url?: string | undefined;
    readonly config?: { readonly knownAs?: string };
  };
}

export function parsePage(request: ListRequest): Page {
  return readPageQuery(request.query, listOf(request));
}

/** For lists outside HTTP: `list` identifies the list. Throws invalid_parameter. */
export function readPageQuery(query: PageQuery, list: string): Page {
  const limit = limitOf(query);
  const afterId = query.after === undefined ? null : readCursor(query.after, list);
  return { limit, afterId, fetch: limit + 1, list };
}

export function limitOf(query: PageQuery): number {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_LIMIT)
    throw apiError('invalid_parameter', `limit must be from 1 to ${MAX_PAGE_LIMIT}.`);
  return limit;
}

export function listOf({ query, params, routeOptions }: ListRequest): string {
  const { limit: _limit, after: _after, ...filters } = query as Record<string, unknown>;
  const given = Object.keys(filters).sort();
  const path = routeOptions.config?.knownAs ?? routeOptions.url;
  return JSON.stringify([path, params ?? {}, given.map((name) => [name, filters[name]])]);
}

export function toPage<Row, Item>(
  rows: readonly Row[],
  page: Page,
  idOf: (row: Row) => string,
  present: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, page.limit);
  return {
    data: shown.map(present),
    next_cursor: rows.length > page.limit ? writeCursor(idOf(shown.at(-1)!), page.list) : null,
  };
}

export function writeCursor(id: string, list: string): string {
  return sealCursor(Buffer.from(id.replaceAll('-', ''), 'hex'), list);
}

function readCursor(cursor: string, list: string): string {
  const hex = openCursor(cursor, list).toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (!isId(id)) throw noCursor();
  return id;
}

/** Bytes that identify a cursor's list: against mistakes, not attacks. */
const LIST_MARK_BYTES = 4;

export function sealCursor(place: Uint8Array, list: string): string {
  return Buffer.concat([place, markOf(list)]).toString('base64url');
}

export function openCursor(cursor: string, list: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length <= LIST_MARK_BYTES || bytes.toString('base64url') !== cursor) throw noCursor();
  const place = bytes.subarray(0, -LIST_MARK_BYTES);
  if (!markOf(list).equals(bytes.subarray(-LIST_MARK_BYTES)))
    throw apiError(
      'invalid_parameter',
      'after is a cursor of another list, or of other filters: repeat those of the page it came with, or leave after out to begin again.',
    );
  return place;
}

/** Numbered rows use the number itself as the cursor. */
export function writeNumberCursor(place: number, list: string): string {
  return sealCursor(Buffer.from(String(place)), list);
}

/** Null without a cursor. Throws invalid_parameter. */
export function readNumberCursor(cursor: string | undefined, list: string): number | null {
  if (cursor === undefined) return null;
  const text = openCursor(cursor, list).toString('latin1');
  if (!/^[1-9]\d{0,8}$/.test(text)) throw noCursor();
  return Number(text);
}

function markOf(list: string): Buffer {
  return Buffer.from(sha256(Buffer.from(list)).subarray(0, LIST_MARK_BYTES));
}

function noCursor() {
  return apiError('invalid_parameter', 'after must be the next_cursor of an earlier page.');
}

/** A page of a filtered list. */
export interface ScannedList<Item> {
  data: Item[];
  next_cursor: string | null;
  /** Set on a short page: the scan stopped here. */
  scanned_to: string | null;
}
