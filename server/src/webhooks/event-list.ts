import type { Db } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import { idRange } from '../platform/http/created-query.ts';
import { type Page, toPage, writeCursor } from '../platform/http/page.ts';
import {
  type EventFilter,
  type EventOrder,
  findEventScanEnd,
  listRecordedEvents,
  type RecordedEventRow,
} from './event-store.ts';

/** Before and after every id. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const AFTER_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface EventList<Item> {
  data: Item[];
  next_cursor: string | null;
  /** The page is short because what it looks for is rare: it looked as far as this. */
  scanned_to: string | null;
}

/**
 * One page of an account's events. With a filter it looks at so many events and no more: a page may be short,
 * or empty, and its cursor still leads on.
 */
export async function readEvents<Item>(
  db: Db,
  tenantId: string,
  { order, filter, page }: { order: EventOrder; filter: EventFilter; page: Page },
  present: (row: RecordedEventRow) => Item,
): Promise<EventList<Item>> {
  const { from, below } = idRange(filter, null);
  const after = page.afterId ?? (order === 'asc' ? BEFORE_ALL : AFTER_ALL);
  const span = { from, to: below, after };
  const { rows, end } = await db.asTenant(tenantId, async (tx) => {
    readInOrder(tx);
    const last = looksFar(filter) ? await findEventScanEnd(tx, tenantId, order, span) : null;
    const bounded = last === null ? span : { ...span, [order === 'asc' ? 'to' : 'from']: last.event_id };
    return {
      rows: await listRecordedEvents(tx, tenantId, order, { span: bounded, filter, limit: page.fetch }),
      end: last,
    };
  });
  const { data, next_cursor: next } = toPage(rows, page, (row) => row.event_id, present);
  if (next !== null || end === null) return { data, next_cursor: next, scanned_to: null };
  return {
    data,
    next_cursor: writeCursor(end.event_id, page.list),
    scanned_to: end.occurred_at.toISOString(),
  };
}

/** A message has few events, and without a filter every one that is looked at is shown. */
function looksFar({ messageId, types, createdAfter, createdBefore }: EventFilter): boolean {
  return messageId === null && (types !== null || createdAfter !== null || createdBefore !== null);
}
