import { jsonArray, plainArray, textArray, timeArray } from '../platform/database/array-text.ts';
import type { Tx } from '../platform/database/db.ts';
import { ofThese } from '../platform/database/of-these.ts';
import type { AnswerExcerpt } from '../platform/network/answer-excerpt.ts';

export interface DeliveryResult {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly leaseId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: AnswerExcerpt | null;
  /** delivered and failed are final; pending is due again at `dueAt`. */
  readonly status: 'delivered' | 'failed' | 'pending';
  readonly dueAt: Date | null;
}

/** Returns the ids still ours. */
export async function recordResults(tx: Tx, results: readonly DeliveryResult[]): Promise<Set<string>> {
  const settled = await Promise.all([
    endHeld(
      tx,
      results.filter(({ status }) => status !== 'pending'),
    ),
    requeueHeld(
      tx,
      results.filter(({ status }) => status === 'pending'),
    ),
  ]);
  const ours = new Set(settled.flat());
  const written = results.filter(({ deliveryId }) => ours.has(deliveryId));
  if (written.length > 0) logAttempts(tx, written);
  const failed = written.filter(({ status }) => status === 'failed');
  if (failed.length > 0) markFailed(tx, failed);
  return ours;
}

async function endHeld(tx: Tx, results: readonly DeliveryResult[]): Promise<string[]> {
  if (results.length === 0) return [];
  const rows = await tx.query<{ delivery_id: string }>(
    `delete from webhook_queue q using unnest($1::uuid[], $2::uuid[], $3::uuid[])
       as t (tenant_id, delivery_id, lease_id)
      where q.tenant_id = t.tenant_id${ofThese(tx, 'q.tenant_id')} and q.delivery_id = t.delivery_id and q.lease_id = t.lease_id
     returning q.delivery_id`,
    fenceColumns(results),
    'webhook_end_held',
  );
  return rows.map((row) => row.delivery_id);
}

async function requeueHeld(tx: Tx, results: readonly DeliveryResult[]): Promise<string[]> {
  if (results.length === 0) return [];
  const rows = await tx.query<{ delivery_id: string }>(
    `update webhook_queue q set due_at = t.due_at, lease_id = null
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
         as t (tenant_id, delivery_id, lease_id, due_at)
      where q.tenant_id = t.tenant_id${ofThese(tx, 'q.tenant_id')} and q.delivery_id = t.delivery_id and q.lease_id = t.lease_id
     returning q.delivery_id`,
    [...fenceColumns(results), plainArray(results.map((it) => it.dueAt?.toISOString() ?? 'NULL'))],
    'webhook_requeue_held',
  );
  return rows.map((row) => row.delivery_id);
}

function fenceColumns(results: readonly DeliveryResult[]): unknown[] {
  return [
    plainArray(results.map((it) => it.tenantId)),
    plainArray(results.map((it) => it.deliveryId)),
    plainArray(results.map((it) => it.leaseId)),
  ];
}

/** Delivered ones need no update: leaving the queue says so. */
function markFailed(tx: Tx, results: readonly DeliveryResult[]): void {
  tx.send(
    `update webhook_deliveries d set failed = true, disabled_after = null
       from unnest($1::uuid[], $2::uuid[]) as t (tenant_id, delivery_id)
      where d.tenant_id = t.tenant_id${ofThese(tx, 'd.tenant_id')} and d.delivery_id = t.delivery_id`,
    [plainArray(results.map((it) => it.tenantId)), plainArray(results.map((it) => it.deliveryId))],
    'webhook_mark_failed',
  );
}

function logAttempts(tx: Tx, results: readonly DeliveryResult[]): void {
  tx.send(
    `insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code,
       error, response_headers, response_excerpt)
     select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[], $5::integer[],
         $6::integer[], $7::text[], $8::jsonb[], $9::text[])
     returning null`,
    [
      plainArray(results.map((it) => it.tenantId)),
      plainArray(results.map((it) => it.deliveryId)),
      plainArray(results.map((it) => it.attempt)),
      timeArray(results.map((it) => it.startedAt)),
      plainArray(results.map((it) => it.durationMs)),
      plainArray(results.map((it) => it.statusCode ?? 'NULL')),
      textArray(results.map((it) => it.error)),
      jsonArray(results.map((it) => it.answer && JSON.stringify(it.answer.headers))),
      textArray(results.map((it) => it.answer?.excerpt ?? null)),
    ],
    'webhook_log_attempts',
  );
}
