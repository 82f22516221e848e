import { plainArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { first } from '../platform/database/rows.ts';
import type { CreatedRange, IdRange } from '../platform/http/created-query.ts';
import type { EventType } from './event.ts';

export interface DeliveryRow {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  message_id: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  created_at: Date;
  delivered_at: Date | null;
  next_attempt_at: Date | null;
}

/** Pending means queued; otherwise the last attempt decides. `failWaiting` is not an attempt. */
const STATUS =
  "case when q.delivery_id is not null then 'pending' when d.failed then 'failed' else 'delivered' end";
/** Each part names the tenant again: only so Citus finds the node of a nested query. */
const LAST_ATTEMPT = `left join lateral (
         select t.attempt, t.status_code, t.error, t.started_at + t.duration_ms * interval '1 millisecond' as ended_at
           from webhook_attempts t where t.tenant_id = $1 and t.delivery_id = d.delivery_id
          order by t.attempt desc limit 1) a on true`;
const COLUMNS = `d.delivery_id, d.webhook_id, d.event_id, d.message_id, d.type, ${STATUS} as status,
       coalesce(a.attempt, 0) as attempts, a.status_code as last_status_code,
       case when d.disabled_after is not null and (d.failed or d.disabled_after >= coalesce(a.attempt, 0))
         then 'the endpoint was disabled' else a.error end as last_error, d.created_at,
       case when q.delivery_id is null and not d.failed then a.ended_at end as delivered_at,
       q.due_at as next_attempt_at`;
const TABLES = `webhook_deliveries d
       left join webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.delivery_id
       ${LAST_ATTEMPT}`;

export interface DeliveryFilter extends CreatedRange {
  readonly status: DeliveryRow['status'] | null;
  readonly types: readonly EventType[] | null;
}

/** Deliveries scanned per filtered page: some 10 ms. Failed ones of any type have an index. */
export const DELIVERIES_SCANNED_MAX = 10_000;

/** As findDeliveryScanEnd, for pending deliveries: those in the queue. */
export function findPendingScanEnd(
  db: Queryable,
  tenantId: string,
  { from, below }: IdRange,
): Promise<{ delivery_id: string; created_at: Date } | null> {
  return first<{ delivery_id: string; created_at: Date }>(
    db,
    `select d.delivery_id, d.created_at
       from (select delivery_id from webhook_queue
              where tenant_id = $1 and delivery_id >= $2 and delivery_id < $3
              order by delivery_id desc offset $4 limit 1) q
       join webhook_deliveries d on d.tenant_id = $1 and d.delivery_id = q.delivery_id`,
    [tenantId, from, below, DELIVERIES_SCANNED_MAX - 1],
    'find_pending_webhook_delivery_scan_end',
  );
}

/** The last delivery that a page may scan; null: all fit. */
export function findDeliveryScanEnd(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  { from, below }: IdRange,
): Promise<{ delivery_id: string; created_at: Date } | null> {
  return first<{ delivery_id: string; created_at: Date }>(
    db,
    `select delivery_id, created_at from webhook_deliveries
      where tenant_id = $1 and webhook_id = $2 and delivery_id >= $3 and delivery_id < $4
      order by delivery_id desc offset $5 limit 1`,
    [tenantId, webhookId, from, below, DELIVERIES_SCANNED_MAX - 1],
    'find_webhook_delivery_scan_end',
  );
}

const WANTED = `($6::text[] is null or d.type = any ($6))
        and ($7::timestamptz is null or d.created_at >= $7)
        and ($8::timestamptz is null or d.created_at < $8)`;
const FILTERED = `select ${COLUMNS} from ${TABLES}
      where d.tenant_id = $1 and d.webhook_id = $2 and d.delivery_id >= $3 and d.delivery_id < $4
        and ${WANTED}`;
/** Reads through the queue in order, so that a page ends when full. */
const PENDING = `select ${COLUMNS}
       from (select delivery_id, webhook_id, due_at from webhook_queue
              where tenant_id = $1 and delivery_id >= $3 and delivery_id < $4
              order by delivery_id desc limit ${DELIVERIES_SCANNED_MAX}) q
      cross join lateral (select * from webhook_deliveries w where w.tenant_id = $1
        and w.delivery_id = q.delivery_id offset 0) d
       ${LAST_ATTEMPT}
      where q.webhook_id = $2 and ${WANTED}`;

export function listDeliveries(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  {
    range,
    filter,
    limit,
  }: { readonly range: IdRange; readonly filter: DeliveryFilter; readonly limit: number },
): Promise<DeliveryRow[]> {
  const times = [filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null];
  const given = [tenantId, webhookId, range.from, range.below, limit, filter.types, ...times];
  // A literal, so that the partial index is used.
  if (filter.status === 'failed')
    return db.query<DeliveryRow>(
      `${FILTERED} and d.failed order by d.delivery_id desc limit $5`,
      given,
      'list_failed_webhook_deliveries',
    );
  if (filter.status === 'pending')
    return db.query<DeliveryRow>(
      `${PENDING} order by q.delivery_id desc limit $5`,
      given,
      'list_pending_webhook_deliveries',
    );
  if (filter.status === 'delivered')
    return db.query<DeliveryRow>(
      `${FILTERED} and not d.failed and q.delivery_id is null order by d.delivery_id desc limit $5`,
      given,
      'list_delivered_webhook_deliveries',
    );
  return db.query<DeliveryRow>(
    `${FILTERED} order by d.delivery_id desc limit $5`,
    given,
    'list_webhook_deliveries',
  );
}

export function findDelivery(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
): Promise<(DeliveryRow & { body: Buffer }) | null> {
  return first<DeliveryRow & { body: Buffer }>(
    db,
    `select ${COLUMNS}, d.body from ${TABLES} where d.tenant_id = $1 and d.webhook_id = $2 and d.delivery_id = $3`,
    [tenantId, webhookId, deliveryId],
  );
}

export interface AttemptRow {
  attempt: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  response_headers: Record<string, string> | null;
  response_excerpt: string | null;
}

export function listAttempts(db: Queryable, tenantId: string, deliveryId: string): Promise<AttemptRow[]> {
  return db.query<AttemptRow>(
    `select attempt, started_at, duration_ms, status_code, error, response_headers, response_excerpt
       from webhook_attempts
      where tenant_id = $1 and delivery_id = $2 order by attempt`,
    [tenantId, deliveryId],
  );
}

/** Deletes up to `limit` old deliveries and their rows; returns how many. */
export async function deleteOldDeliveries(tx: Tx, before: Date, limit: number): Promise<number> {
  const gone = await tx.query<{ tenant_id: string; delivery_id: string }>(
    `delete from webhook_deliveries d using (
       select tenant_id, delivery_id from webhook_deliveries where created_at < $1 limit $2
     ) old where d.tenant_id = old.tenant_id and d.delivery_id = old.delivery_id
     returning d.tenant_id, d.delivery_id`,
    [before.toISOString(), limit],
  );
  const keys = [plainArray(gone.map((it) => it.tenant_id)), plainArray(gone.map((it) => it.delivery_id))];
  const these = 'using unnest($1::uuid[], $2::uuid[]) as t (tenant_id, delivery_id)';
  // Afterwards, to include deliveries being recorded or requeued meanwhile.
  tx.send(
    `delete from webhook_queue q ${these} where q.tenant_id = t.tenant_id and q.delivery_id = t.delivery_id`,
    keys,
  );
  await tx.execute(
    `delete from webhook_attempts a ${these} where a.tenant_id = t.tenant_id and a.delivery_id = t.delivery_id`,
    keys,
  );
  return gone.length;
}
