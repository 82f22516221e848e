import type { Queryable } from '../platform/database/db.ts';

/** The delivery log: what the routes show, for as long as it is kept. */

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

const COLUMNS = `d.delivery_id, d.webhook_id, d.event_id, d.message_id, d.type, d.status,
  d.attempts, d.last_status_code,
       d.last_error, d.created_at, d.delivered_at, q.due_at as next_attempt_at`;
const TABLES = `webhook_deliveries d
       left join webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.delivery_id`;

/** Newest first. */
export function listDeliveries(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  {
    status,
    after,
    limit,
  }: { readonly status: DeliveryRow['status'] | null; readonly after: string | null; readonly limit: number },
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select ${COLUMNS} from ${TABLES}
      where d.tenant_id = $1 and d.webhook_id = $2 and ($3::text is null or d.status = $3) and ($4::uuid is
        null or d.delivery_id < $4)
      order by d.delivery_id desc limit $5`,
    [tenantId, webhookId, status, after, limit],
  );
}

export async function findDelivery(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
): Promise<(DeliveryRow & { body: Buffer }) | null> {
  const rows = await db.query<DeliveryRow & { body: Buffer }>(
    `select ${COLUMNS}, d.body from ${TABLES} where d.tenant_id = $1 and d.webhook_id = $2 and d.delivery_id = $3`,
    [tenantId, webhookId, deliveryId],
  );
  return rows[0] ?? null;
}

export interface AttemptRow {
  attempt: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
}

/** Oldest first. */
export function listAttempts(db: Queryable, tenantId: string, deliveryId: string): Promise<AttemptRow[]> {
  return db.query<AttemptRow>(
    `select attempt, started_at, duration_ms, status_code, error from webhook_attempts
      where tenant_id = $1 and delivery_id = $2 order by attempt`,
    [tenantId, deliveryId],
  );
}

/** Deletes deliveries made before `before` with their attempts, up to `limit`; returns how many. */
export function deleteOldDeliveries(db: Queryable, before: Date, limit: number): Promise<number> {
  return db.execute(
    `delete from webhook_deliveries d using (
       select tenant_id, delivery_id from webhook_deliveries where created_at < $1 limit $2
     ) old where d.tenant_id = old.tenant_id and d.delivery_id = old.delivery_id`,
    [before.toISOString(), limit],
  );
}
