import type { Db, Tx } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import { idRange } from '../platform/http/created-query.ts';
import { type Page, type ScannedList, toPage, writeCursor } from '../platform/http/page.ts';
import { FIRST_ID, LAST_ID } from '../platform/ids.ts';
import {
  EVENTS_SCANNED_MAX,
  type EventFilter,
  type EventOrder,
  type EventSpan,
  findEventScanEnd,
  listStoredEvents,
  type RecordedEventRow,
} from './event-store.ts';
import { findQueuedEvent, findQueuedScanEnd, listQueuedEvents } from './queued-store.ts';

interface Asked {
  readonly order: EventOrder;
  readonly filter: EventFilter;
  readonly span: EventSpan;
  readonly limit: number;
}

interface Found {
  readonly rows: readonly RecordedEventRow[];
  /** End of the scan, if more may follow. */
  readonly end: { readonly event_id: string; readonly occurred_at: Date } | null;
}

/**
 * One page of events: the stored ones and the messages' `email.queued`, in id order. The scan is bounded: a
 * page may be short or empty, and its cursor still continues.
 */
export async function readEvents<Item>(
  db: Db,
  tenantId: string,
  { order, filter, page }: { order: EventOrder; filter: EventFilter; page: Page },
  present: (row: RecordedEventRow) => Item,
): Promise<ScannedList<Item>> {
  const { from, below } = idRange(filter, null);
  const after = page.afterId ?? (order === 'asc' ? FIRST_ID : LAST_ID);
  const asked: Asked = { order, filter, span: { from, to: below, after }, limit: page.fetch };
  const { rows, end } = await db.asTenant(tenantId, async (tx) => {
    readInOrder(tx);
    if (filter.messageId !== null)
      return { rows: await eventsOfMessage(tx, tenantId, asked, filter.messageId), end: null };
    return looksFar(filter) ? lookFar(tx, tenantId, asked) : readOn(tx, tenantId, asked);
  });
  const { data, next_cursor: next } = toPage(rows, page, (row) => row.event_id, present);
  if (next !== null || end === null) return { data, next_cursor: next, scanned_to: null };
  return {
    data,
    next_cursor: writeCursor(end.event_id, page.list),
    scanned_to: end.occurred_at.toISOString(),
  };
}

/** Without a filter every scanned event is shown. */
function looksFar({ types, createdAfter, createdBefore }: EventFilter): boolean {
  return types !== null || createdAfter !== null || createdBefore !== null;
}

function wantsQueued({ types }: EventFilter): boolean {
  return types === null || types.includes('email.queued');
}

/** With a filter: finds the end of the scan first. */
async function lookFar(tx: Tx, tenantId: string, asked: Asked): Promise<Found> {
  const { order, filter, span, limit } = asked;
  const queuedToo = wantsQueued(filter);
  const scanned = queuedToo ? 'events and messages' : 'events';
  const end = await findEventScanEnd(tx, tenantId, order, { span, scanned });
  const within = upTo(span, order, end);
  const found = { span: within, filter, limit };
  const [stored, queued] = await Promise.all([
    listStoredEvents(tx, tenantId, order, found),
    queuedToo ? listQueuedEvents(tx, tenantId, order, { ...found, looked: EVENTS_SCANNED_MAX }) : [],
  ]);
  return { rows: merge(order, stored, queued, limit), end };
}

/**
 * Without a filter one read is enough, unless many scheduled messages were skipped: then the page ends there.
 */
async function readOn(tx: Tx, tenantId: string, { order, filter, span, limit }: Asked): Promise<Found> {
  const looked = EVENTS_SCANNED_MAX;
  const [stored, queued] = await Promise.all([
    listStoredEvents(tx, tenantId, order, { span, filter, limit }),
    listQueuedEvents(tx, tenantId, order, { span, filter, looked, limit }),
  ]);
  const end = queued.length < limit ? await findQueuedScanEnd(tx, tenantId, order, { span, looked }) : null;
  if (end === null) return { rows: merge(order, stored, queued, limit), end: null };
  const isWithin = (row: RecordedEventRow) => !comesAfter(order, row.event_id, end.event_id);
  return { rows: merge(order, stored.filter(isWithin), queued.filter(isWithin), limit), end };
}

function upTo(span: EventSpan, order: EventOrder, end: Found['end']): EventSpan {
  return end === null ? span : { ...span, [order === 'asc' ? 'to' : 'from']: end.event_id };
}

async function eventsOfMessage(
  tx: Tx,
  tenantId: string,
  { order, filter, span, limit }: Asked,
  messageId: string,
): Promise<RecordedEventRow[]> {
  const [stored, queued] = await Promise.all([
    listStoredEvents(tx, tenantId, order, { span, filter, limit }),
    wantsQueued(filter) ? findQueuedEvent(tx, tenantId, messageId) : null,
  ]);
  const isAsked = queued !== null && isWithin(queued, order, filter, span);
  return merge(order, stored, isAsked ? [queued] : [], limit);
}

function isWithin(
  { event_id: id, occurred_at: at }: RecordedEventRow,
  order: EventOrder,
  { createdAfter, createdBefore }: EventFilter,
  { from, to, after }: EventSpan,
): boolean {
  const inTime =
    (createdAfter === null || at >= createdAfter) && (createdBefore === null || at < createdBefore);
  return inTime && id >= from && id <= to && comesAfter(order, id, after);
}

const comesAfter = (order: EventOrder, id: string, other: string) =>
  order === 'asc' ? id > other : id < other;

function merge(
  order: EventOrder,
  stored: readonly RecordedEventRow[],
  queued: readonly RecordedEventRow[],
  limit: number,
): RecordedEventRow[] {
  const rows: RecordedEventRow[] = [];
  let [at, queuedAt] = [0, 0];
  while (rows.length < limit) {
    const next = stored[at];
    const made = queued[queuedAt];
    if (next === undefined && made === undefined) break;
    if (made === undefined || (next !== undefined && comesAfter(order, made.event_id, next.event_id))) {
      rows.push(next!);
      at++;
    } else {
      rows.push(made);
      queuedAt++;
    }
  }
  return rows;
}

export function readMessageEvents(
  tx: Tx,
  tenantId: string,
  messageId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<RecordedEventRow[]> {
  const span = { from: FIRST_ID, to: LAST_ID, after: after ?? FIRST_ID };
  const filter = { types: null, messageId, createdAfter: null, createdBefore: null };
  return eventsOfMessage(tx, tenantId, { order: 'asc', filter, span, limit }, messageId);
}
