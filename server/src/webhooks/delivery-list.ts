import type { Db } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import { idRange } from '../platform/http/created-query.ts';
import { type Page, type ScannedList, toPage, writeCursor } from '../platform/http/page.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  findDeliveryScanEnd,
  findPendingScanEnd,
  listDeliveries,
} from './delivery-store.ts';

/**
 * One page of deliveries, newest first. A filtered page scans a bounded number of rows: it may be short or
 * empty, and its cursor still continues.
 */
export async function readDeliveries<Item>(
  db: Db,
  { tenantId, webhookId }: { tenantId: string; webhookId: string },
  filter: DeliveryFilter,
  page: Page,
  present: (row: DeliveryRow) => Item,
): Promise<ScannedList<Item>> {
  const range = idRange(filter, page.afterId);
  const { rows, end } = await db.asTenant(tenantId, async (tx) => {
    readInOrder(tx);
    const last = looksFar(filter)
      ? await (filter.status === 'pending'
          ? findPendingScanEnd(tx, tenantId, range)
          : findDeliveryScanEnd(tx, tenantId, webhookId, range))
      : null;
    const bounded = { ...range, from: last?.delivery_id ?? range.from };
    const found = await listDeliveries(tx, tenantId, webhookId, {
      range: bounded,
      filter,
      limit: page.fetch,
    });
    return { rows: found, end: last };
  });
  const { data, next_cursor: next } = toPage(rows, page, (row) => row.delivery_id, present);
  if (next !== null || end === null) return { data, next_cursor: next, scanned_to: null };
  const cursor = writeCursor(end.delivery_id, page.list);
  return { data, next_cursor: cursor, scanned_to: end.created_at.toISOString() };
}

/** Failed ones have an index, and a time range bounds itself. */
function looksFar({ status, types }: DeliveryFilter): boolean {
  return types !== null || (status !== null && status !== 'failed');
}
