import { type TProperties, type TSchema, Type } from 'typebox';
import { apiError } from '../../errors.ts';
import { isId } from '../ids.ts';
import { sha256 } from '../sha256.ts';

/**
 * Lists, the same everywhere: newest first by id (UUIDv7), `?limit=` and `?after=<cursor>`, answered as
 * `{data, next_cursor}`. Keyset, never offset: a page costs the same at any depth.
 */

const DEFAULT_LIMIT = 20;
const CURSOR_EXAMPLE = 'AZrA3sQ7cAGPmsV2_QKZugxV0mE';
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
  /** Id of the last row of the page before. */
  afterId: string | null;
  /** What the store is to read: one more than is shown, which tells whether there is a next page. */
  fetch: number;
  /** The list that it is a page of, and its filters: its cursor continues no other. */
  list: string;
}

interface PageQuery {
  limit?: number | undefined;
  after?: string | undefined;
}

/** What a list's handler knows of its request. */
interface ListRequest {
  readonly query: PageQuery;
  readonly params?: unknown;
  readonly routeOptions: {
    readonly url?: string | undefined;
    readonly config?: { readonly knownAs?: string };
  };
}

/** Reads a list's query. Throws invalid_parameter. */
export function parsePage(request: ListRequest): Page {
  return readPageQuery(request.query, listOf(request));
}

/** Where the request is not HTTP: `list` says which list it is of. Throws invalid_parameter. */
export function readPageQuery(query: PageQuery, list: string): Page {
  const limit = limitOf(query);
  const afterId = query.after === undefined ? null : readCursor(query.after, list);
  return { limit, afterId, fetch: limit + 1, list };
}

/** Throws invalid_parameter. */
export function limitOf(query: PageQuery): number {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_LIMIT)
    throw apiError('invalid_parameter', `limit must be from 1 to ${MAX_PAGE_LIMIT}.`);
  return limit;
}

/** The list that a request asks for: its path and filters, whatever the page. */
export function listOf({ query, params, routeOptions }: ListRequest): string {
  const { limit: _limit, after: _after, ...filters } = query as Record<string, unknown>;
  const given = Object.keys(filters).sort();
  const path = routeOptions.config?.knownAs ?? routeOptions.url;
  return JSON.stringify([path, params ?? {}, given.map((name) => [name, filters[name]])]);
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
    next_cursor: rows.length > page.limit ? writeCursor(idOf(shown.at(-1)!), page.list) : null,
  };
}

export function writeCursor(id: string, list: string): string {
  return sealCursor(Buffer.from(id.replaceAll('-', ''), 'hex'), list);
}

/** Throws invalid_parameter. */
function readCursor(cursor: string, list: string): string {
  const hex = openCursor(cursor, list).toString('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  if (!isId(id)) throw noCursor();
  return id;
}

/** Of a cursor, what tells its list from others (bytes): against mistakes, because it protects nothing. */
const LIST_MARK_BYTES = 4;

/** A place in a list, as a cursor that continues no other list. */
export function sealCursor(place: Uint8Array, list: string): string {
  return Buffer.concat([place, markOf(list)]).toString('base64url');
}

/** The place that sealCursor was given. Throws invalid_parameter. */
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

/** Where rows are numbered within what they belong to, the number itself is the place. */
export function writeNumberCursor(place: number, list: string): string {
  return sealCursor(Buffer.from(String(place)), list);
}

/** The number that writeNumberCursor was given; null without a cursor. Throws invalid_parameter. */
export function readNumberCursor(cursor: string | undefined, list: string): number | null {
  if (cursor === undefined) return null;
  const text = openCursor(cursor, list).toString('latin1');
  if (!/^[1-9]\d{0,8}$/.test(text)) throw noCursor();
  return Number(text);
}

function markOf(list: string): Buffer {
  return Buffer.from(sha256(Buffer.from(list)).subarray(0, LIST_MARK_BYTES));
}

export function noCursor() {
  return apiError('invalid_parameter', 'after must be the next_cursor of an earlier page.');
}
