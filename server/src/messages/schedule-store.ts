import { plainArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { changed, first } from '../platform/database/rows.ts';
import { sameRow } from '../platform/database/same-row.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';
import type { MessageColumns } from './leaves/chain-store.ts';

/**
 * Messages waiting for `send_at`. The row decides between queueing, cancelling and moving; the message is
 * updated after.
 */

/** Pipelined. */
export function insertScheduled(tx: Tx, ids: MessageColumns, sendAt: readonly Date[]): void {
  tx.send(
    `insert into scheduled_messages (tenant_id, message_id, send_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
     returning null`,
    [ids.tenants, ids.messages, plainArray(sendAt.map((at) => at.toISOString()))],
    'accept_insert_scheduled',
  );
}

/** Below this number one scan has seen every tenant. */
const LOOKED_AT = 500;

export async function tenantsWithDueSchedule(
  db: Queryable,
  now: Date,
  limit: number,
  distributed = false,
): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string; looked_at: number }>(
    `with due as materialized (
       select tenant_id from scheduled_messages
        where timezone('UTC', send_at) <= timezone('UTC', $1::timestamptz)
        order by timezone('UTC', send_at) limit $2
     ) select distinct tenant_id, (select count(*)::integer from due) as looked_at from due
      order by tenant_id limit $3`,
    [now.toISOString(), LOOKED_AT, limit],
  );
  const seenAll = (rows[0]?.looked_at ?? 0) < LOOKED_AT;
  if (seenAll) return rows.map((row) => row.tenant_id);
  return distributed ? allTenantsOfNodes(db, now, limit) : allTenantsWithDueSchedule(db, now, limit);
}

/** Skip scan: two index probes per tenant. */
async function allTenantsWithDueSchedule(db: Queryable, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>(
    `with recursive waiting as (
       (select tenant_id from scheduled_messages order by tenant_id limit 1)
       union all
       select (select s.tenant_id from scheduled_messages s where s.tenant_id > waiting.tenant_id
                order by s.tenant_id limit 1)
         from waiting where waiting.tenant_id is not null
     )
     select tenant_id from waiting
      where tenant_id is not null
        and exists (select 1 from scheduled_messages s
                     where s.tenant_id = waiting.tenant_id and s.send_at <= $1)
      limit $2`,
    [now.toISOString(), limit],
    'schedule_tenants',
  );
  return rows.map((row) => row.tenant_id);
}

/** With Citus no scan can skip: cost of what is due. `among`: these accounts; null: all. */
export async function allTenantsOfNodes(
  db: Queryable,
  now: Date,
  limit: number,
  among: readonly string[] | null = null,
): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>(
    `select tenant_id from scheduled_messages
      where send_at <= $1 ${among === null ? '' : 'and tenant_id = any ($3::uuid[])'}
      group by tenant_id order by tenant_id limit $2`,
    [now.toISOString(), limit, ...(among === null ? [] : [among])],
    among === null ? 'schedule_tenants_of_nodes' : undefined,
  );
  return rows.map((row) => row.tenant_id);
}

export interface FallenDue {
  readonly message_id: string;
  readonly header_from: string;
  readonly header_to: string;
  readonly subject: string;
  readonly certified: boolean;
  readonly recipient_address: string;
  readonly send_at: Date;
}

const FALLEN_DUE =
  'm.message_id, m.header_from, m.header_to, m.subject, m.certified, m.recipient_address, m.send_at';

/** Oldest first; makes them queued. */
export function takeDue(tx: Tx, tenantId: string, now: Date, limit: number): Promise<FallenDue[]> {
  const { place, is } = sameRow(tx.distributed, 'message_id');
  return tx.query<FallenDue>(
    `with due as materialized (
       select s.tenant_id, s.message_id${place('s')} from scheduled_messages s
        where tenant_id = $1 and send_at <= $2
        order by send_at limit $3 for update skip locked
     ), taken as (
       delete from scheduled_messages s using due where ${is('s', 'due')}
       returning s.tenant_id, s.message_id
     )
     update messages m set status = 'queued', queued_at = $2, next_attempt_at = $2 from taken
      where m.tenant_id = taken.tenant_id and m.message_id = taken.message_id
     returning ${FALLEN_DUE}`,
    [tenantId, now.toISOString(), limit],
    'schedule_take_due',
  );
}

export function takeNow(tx: Tx, tenantId: string, messageId: string, now: Date): Promise<FallenDue | null> {
  return first<FallenDue>(
    tx,
    `with taken as (
       delete from scheduled_messages where tenant_id = $1 and message_id = $2 returning tenant_id, message_id
     )
     update messages m set status = 'queued', send_at = $3, queued_at = $3, next_attempt_at = $3 from taken
      where m.tenant_id = taken.tenant_id and m.message_id = taken.message_id
     returning ${FALLEN_DUE}`,
    [tenantId, messageId, now.toISOString()],
  );
}

/** False: no longer scheduled. */
export function moveScheduled(tx: Tx, tenantId: string, messageId: string, sendAt: Date): Promise<boolean> {
  return changed(
    tx,
    `with moved as (
       update scheduled_messages set send_at = $3 where tenant_id = $1 and message_id = $2
       returning tenant_id, message_id
     )
     update messages m set send_at = $3, next_attempt_at = $3 from moved
      where m.tenant_id = moved.tenant_id and m.message_id = moved.message_id`,
    [tenantId, messageId, sendAt.toISOString()],
  );
}

/** False: no longer scheduled. */
export function takeOffSchedule(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  return changed(tx, 'delete from scheduled_messages where tenant_id = $1 and message_id = $2', [
    tenantId,
    messageId,
  ]);
}

export async function countScheduled(
  db: Queryable,
  { tenantId, destination }: { readonly tenantId: string | null; readonly destination: string | null },
): Promise<number> {
  const [row] = await db.query<{ scheduled: number }>(
    `select count(*)::integer as scheduled
       from scheduled_messages s join messages m using (tenant_id, message_id)
      where ($1::uuid is null or s.tenant_id = $1)
        and ($2::text is null or substring(m.recipient_address from '[^@]*$') = $2)`,
    [tenantId, destination],
  );
  return row!.scheduled;
}

export async function scheduleStates(
  db: Queryable,
  limit = COUNTED_MAX,
): Promise<{ scheduled: number; overdueSeconds: number }> {
  const [row] = await db.query<{ scheduled: number; overdue_seconds: number }>(
    `with first as materialized (
       select s.send_at from scheduled_messages s order by timezone('UTC', s.send_at) limit $1
     )
     select count(*)::integer as scheduled,
            greatest(0, coalesce(extract(epoch from now() - min(send_at)), 0))::double precision
              as overdue_seconds
       from first`,
    // Unnamed: a plan made for an empty schedule would be kept.
    [limit],
  );
  return { scheduled: row!.scheduled, overdueSeconds: row!.overdue_seconds };
}
