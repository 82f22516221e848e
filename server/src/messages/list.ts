import type { Db } from '../platform/database/db.ts';
import { idRange } from '../platform/http/created-query.ts';
import { type Page, type ScannedList, toPage, writeCursor } from '../platform/http/page.ts';
import { type FoundMessages, listMessages, type MessageFilter, type MessageRow } from './read-store.ts';
import { searchMessages } from './search/search.ts';

/**
 * One page, newest first. A filtered page scans a bounded number: it may be short or empty, and its cursor
 * continues.
 */
export async function readMessages<Item>(
  db: Db,
  tenantId: string,
  filter: MessageFilter,
  page: Page,
  present: (row: MessageRow) => Item,
): Promise<ScannedList<Item>> {
  const { rows, end } = await readSlice(db, tenantId, filter, page);
  const { data, next_cursor: next } = toPage(rows, page, (row) => row.message_id, present);
  if (next !== null || end === null) return { data, next_cursor: next, scanned_to: null };
  const cursor = writeCursor(end.message_id, page.list);
  return { data, next_cursor: cursor, scanned_to: end.created_at.toISOString() };
}

/** `end`: where the scan stopped; null: complete. */
export async function readSlice(
  db: Db,
  tenantId: string,
  filter: MessageFilter,
  { afterId, fetch }: Pick<Page, 'afterId' | 'fetch'>,
): Promise<FoundMessages> {
  const range = idRange(filter, afterId);
  const { words = null } = filter;
  return db.asTenant(tenantId, (tx) =>
    words === null
      ? listMessages(tx, tenantId, range, filter, fetch)
      : searchMessages(tx, tenantId, range, { ...filter, words }, fetch),
  );
}
