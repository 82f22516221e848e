import type { Queryable, Tx } from '../platform/db.ts';

export interface NewDelivery {
  tenantId: string;
  deliveryId: string;
  webhookId: string;
  eventId: string;
  messageId: string;
  type: string;
  body: string;
  createdAt: Date;
}

/** Writes deliveries and their queue rows, due at once. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  const values = [
    deliveries.map((it) => it.tenantId),
    deliveries.map((it) => it.deliveryId),
    deliveries.map((it) => it.webhookId),
    deliveries.map((it) => it.createdAt.toISOString()),
  ];
  await Promise.all([
    tx.execute(
      `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id, type, body)
       select t.tenant_id, t.delivery_id, t.webhook_id, t.created_at, t.event_id, t.message_id, t.type, convert_to(t.body, 'UTF8')
         from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::uuid[], $6::uuid[], $7::text[], $8::text[])
           as t (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id, type, body)`,
      [
        ...values,
        deliveries.map((it) => it.eventId),
        deliveries.map((it) => it.messageId),
        deliveries.map((it) => it.type),
        deliveries.map((it) => it.body),
      ],
      'insert_webhook_deliveries',
    ),
    tx.execute(
      `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])`,
      values,
      'insert_webhook_queue',
    ),
  ]);
}

/**
 * Endpoints with due deliveries as "tenant/webhook": a skip scan, a few index probes an endpoint, whatever is queued for it.
 */
export async function endpointsWithDueWork(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string; webhook_id: string }>(
    `with recursive queued as (
       (select tenant_id, webhook_id from webhook_queue order by tenant_id, webhook_id limit 1)
       union all
       select next.tenant_id, next.webhook_id from queued
        cross join lateral (select q.tenant_id, q.webhook_id from webhook_queue q
                             where (q.tenant_id, q.webhook_id) > (queued.tenant_id, queued.webhook_id)
                             order by q.tenant_id, q.webhook_id limit 1) next
     )
     select tenant_id, webhook_id from queued
      where exists (select from webhook_queue q where q.tenant_id = queued.tenant_id and q.webhook_id = queued.webhook_id and q.due_at <= $1)`,
    [now.toISOString()],
    'endpoints_with_due_work',
  );
  return rows.map((row) => `${row.tenant_id}/${row.webhook_id}`);
}

export interface ClaimedDelivery {
  tenant_id: string;
  webhook_id: string;
  delivery_id: string;
  attempt: number;
  event_id: string;
  type: string;
  body: Buffer;
}

/** Leases up to `limit` due deliveries of one endpoint, oldest due first. */
export function claimDeliveries(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  now: Date,
  leasedUntil: Date,
  limit: number,
): Promise<ClaimedDelivery[]> {
  return db.query<ClaimedDelivery>(
    `with due as materialized (
       select tenant_id, delivery_id from webhook_queue
        where tenant_id = $1 and webhook_id = $2 and due_at <= $3 order by due_at limit $5 for update skip locked
     )
     update webhook_queue q set attempt = q.attempt + 1, due_at = $4, leased_until = $4
       from due join webhook_deliveries d using (tenant_id, delivery_id)
      where q.tenant_id = due.tenant_id and q.delivery_id = due.delivery_id
     returning q.tenant_id, q.webhook_id, q.delivery_id, q.attempt, d.event_id, d.type, d.body`,
    [tenantId, webhookId, now.toISOString(), leasedUntil.toISOString(), limit],
    'claim_webhook_deliveries',
  );
}

export interface DeliveryResult {
  tenantId: string;
  webhookId: string;
  deliveryId: string;
  /** As claimed: a write-back whose lease was lost touches nothing. */
  attempt: number;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  /** delivered and failed end it; pending comes due again at `dueAt`. */
  status: 'delivered' | 'failed' | 'pending';
  dueAt: Date | null;
}

/** Writes results fenced by their attempt; returns the ids of the deliveries that were still ours. */
export async function recordResults(tx: Tx, results: readonly DeliveryResult[]): Promise<Set<string>> {
  const rows = await tx.query<{ delivery_id: string }>(
    `with given as (
       select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::timestamptz[])
         as t (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code, error, status, due_at)
     ), ours as (
       select g.* from given g join webhook_queue q on q.tenant_id = g.tenant_id and q.delivery_id = g.delivery_id and q.attempt = g.attempt
          for update of q
     ), requeued as (
       update webhook_queue q set due_at = o.due_at, leased_until = null from ours o
        where o.status = 'pending' and q.tenant_id = o.tenant_id and q.delivery_id = o.delivery_id
     ), ended as (
       delete from webhook_queue q using ours o where o.status <> 'pending' and q.tenant_id = o.tenant_id and q.delivery_id = o.delivery_id
     ), marked as (
       update webhook_deliveries d set status = o.status, attempts = d.attempts + 1, last_status_code = o.status_code, last_error = o.error,
              delivered_at = case when o.status = 'delivered' then o.started_at + o.duration_ms * interval '1 millisecond' end
         from ours o where d.tenant_id = o.tenant_id and d.delivery_id = o.delivery_id
       returning d.tenant_id, d.delivery_id, d.attempts
     ), logged as (
       insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code, error)
       select o.tenant_id, o.delivery_id, m.attempts, o.started_at, o.duration_ms, o.status_code, o.error
         from ours o join marked m using (tenant_id, delivery_id)
     )
     select delivery_id from ours`,
    [
      results.map((it) => it.tenantId),
      results.map((it) => it.deliveryId),
      results.map((it) => it.attempt),
      results.map((it) => it.startedAt.toISOString()),
      results.map((it) => it.durationMs),
      results.map((it) => it.statusCode),
      results.map((it) => it.error),
      results.map((it) => it.status),
      results.map((it) => it.dueAt?.toISOString() ?? null),
    ],
    'record_webhook_results',
  );
  return new Set(rows.map((row) => row.delivery_id));
}

/** A success ends a row of failures, a first failure begins one. */
export async function markEndpoint(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  ok: boolean,
  at: Date,
): Promise<void> {
  await tx.execute(
    `update webhook_endpoints set failing_since = case when $3 then null else $4::timestamptz end
      where tenant_id = $1 and webhook_id = $2 and (failing_since is null) <> $3`,
    [tenantId, webhookId, ok, at.toISOString()],
    'mark_webhook_endpoint',
  );
}

/** Switches an endpoint off; what waited for it fails, to be replayed once it is on again. */
export async function disableEndpoint(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  reason: 'gone' | 'failing',
  at: Date,
): Promise<void> {
  await tx.execute(
    `update webhook_endpoints set enabled = false, disabled_reason = $3, updated_at = $4 where tenant_id = $1 and webhook_id = $2 and enabled`,
    [tenantId, webhookId, reason, at.toISOString()],
  );
  await failQueued(tx, tenantId, webhookId, `the endpoint was disabled (${reason})`);
}

export async function failQueued(tx: Tx, tenantId: string, webhookId: string, error: string): Promise<void> {
  await tx.execute(
    `with gone as (delete from webhook_queue where tenant_id = $1 and webhook_id = $2 returning tenant_id, delivery_id)
     update webhook_deliveries d set status = 'failed', last_error = $3 from gone
      where d.tenant_id = gone.tenant_id and d.delivery_id = gone.delivery_id and d.status = 'pending'`,
    [tenantId, webhookId, error],
  );
}

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

const DELIVERY = `select d.delivery_id, d.webhook_id, d.event_id, d.message_id, d.type, d.status, d.attempts, d.last_status_code, d.last_error,
       d.created_at, d.delivered_at, q.due_at as next_attempt_at
  from webhook_deliveries d left join webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.delivery_id`;

/** Newest first. */
export function listDeliveries(
  db: Queryable,
  tenantId: string,
  webhookId: string,
  status: string | null,
  after: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `${DELIVERY} where d.tenant_id = $1 and d.webhook_id = $2 and ($3::text is null or d.status = $3) and ($4::uuid is null or d.delivery_id < $4)
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
    `${DELIVERY.replace('d.type,', 'd.type, d.body,')} where d.tenant_id = $1 and d.webhook_id = $2 and d.delivery_id = $3`,
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

export function listAttempts(db: Queryable, tenantId: string, deliveryId: string): Promise<AttemptRow[]> {
  return db.query<AttemptRow>(
    'select attempt, started_at, duration_ms, status_code, error from webhook_attempts where tenant_id = $1 and delivery_id = $2 order by attempt',
    [tenantId, deliveryId],
  );
}

/** Puts one delivery in line again, due now; one that is in line already only comes due. Zero: no such delivery. */
export function requeueOne(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<number> {
  return requeue(tx, 'd.delivery_id = $3', [tenantId, webhookId, deliveryId, now.toISOString()]);
}

/** Puts all failed deliveries made since `since` in line again; returns how many. */
export function requeueFailed(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  since: Date,
  now: Date,
): Promise<number> {
  return requeue(tx, "d.created_at >= $3::timestamptz and d.status = 'failed'", [
    tenantId,
    webhookId,
    since.toISOString(),
    now.toISOString(),
  ]);
}

function requeue(tx: Tx, which: string, values: readonly unknown[]): Promise<number> {
  return tx.execute(
    `with chosen as (
       update webhook_deliveries d set status = 'pending', delivered_at = null where d.tenant_id = $1 and d.webhook_id = $2 and ${which}
       returning d.tenant_id, d.delivery_id, d.webhook_id
     )
     insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at) select tenant_id, delivery_id, webhook_id, $4::timestamptz from chosen
     on conflict (tenant_id, delivery_id) do update set due_at = least(webhook_queue.due_at, excluded.due_at)`,
    values,
  );
}

/** Deletes what is older than `before`, a page at a time; returns how many. */
export function deleteOldDeliveries(
  db: Queryable & { execute: Tx['execute'] },
  before: Date,
  limit: number,
): Promise<number> {
  return db.execute(
    `delete from webhook_deliveries d using (
       select tenant_id, delivery_id from webhook_deliveries where created_at < $1 limit $2
     ) old where d.tenant_id = old.tenant_id and d.delivery_id = old.delivery_id`,
    [before.toISOString(), limit],
  );
}
