import type { Queryable, Tx } from '../../platform/database/db.ts';
import { isDistributed } from '../../platform/database/distributed.ts';
import { sameRow } from '../../platform/database/same-row.ts';
import { LEASE_END } from '../../platform/queue/leases.ts';
import type { ClaimedRow } from '../claim/claim-store.ts';
import { forEachTenant, type QueueKey } from './for-each-tenant.ts';

export interface Selection {
  readonly tenantId: string | null;
  readonly destination: string | null;
  readonly acceptedBefore: Date | null;
}

/** $1 to $3; `q`: the queue. */
const SELECTED = `($1::uuid is null or q.tenant_id = $1) and ($2::text is null or q.destination = $2)
        and ($3::timestamptz is null or q.created_at < $3)`;
const FREE = 'q.leased_until is null';
/** A ClaimedRow's columns but source_pool. */
const CLAIMED = `q.tenant_id, q.message_id, q.destination, q.attempt, q.created_at, q.expires_at,
               m.header_to, m.sender_address, m.recipient_address, m.reverse_path, m.certified, m.size_bytes,
               m.sandbox, m.attempts as attempts_made, m.deferred_at is not null as was_deferred`;
/** $4: now. Deferred messages that are not paused. */
const RETRYABLE = `${FREE} and q.due_at > $4 and q.attempt > 0
        and not exists (select 1 from paused_tenants p where p.tenant_id = q.tenant_id)
        and not exists (select 1 from paused_destinations p where p.destination = q.destination)`;

/** One node's. */
const { place, is } = sameRow(false, 'message_id');

function valuesOf({ tenantId, destination, acceptedBefore }: Selection): unknown[] {
  return [tenantId, destination, acceptedBefore?.toISOString() ?? null];
}

export interface SelectionCounts {
  /** All that waits, leased ones included. */
  readonly total: number;
  readonly retryable: number;
  readonly cancellable: number;
}

export async function countSelected(
  db: Queryable,
  selection: Selection,
  now: Date,
): Promise<SelectionCounts> {
  const [row] = await db.query<SelectionCounts>(
    `select count(*)::integer as total,
            (count(*) filter (where ${RETRYABLE}))::integer as retryable,
            (count(*) filter (where ${FREE}))::integer as cancellable
       from delivery_queue q where ${SELECTED}`,
    [...valuesOf(selection), now.toISOString()],
  );
  return row!;
}

/**
 * Makes up to `limit` deferred messages due now, oldest first. Untried ones stay: they do not wait for a
 * retry.
 */
export async function makeSelectedDue(
  tx: Tx,
  selection: Selection,
  now: Date,
  limit: number,
): Promise<QueueKey[]> {
  if (tx.distributed) {
    const picked = await tx.query<QueueKey>(
      `select q.tenant_id, q.message_id from delivery_queue q join messages m using (tenant_id, message_id)
        where ${SELECTED} and ${RETRYABLE} and m.status = 'deferred'
        order by q.created_at, q.message_id limit $5`,
      [...valuesOf(selection), now.toISOString(), limit],
    );
    return forEachTenant(picked, (tenantId, ids) =>
      tx.query<QueueKey>(
        `update delivery_queue set due_at = $3
          where tenant_id = $1 and message_id = any ($2::uuid[]) and leased_until is null and due_at > $3
         returning tenant_id, message_id`,
        [tenantId, ids, now.toISOString()],
      ),
    );
  }
  return tx.query<QueueKey>(
    `with picked as materialized (
       select q.tenant_id, q.message_id${place('q')}
         from delivery_queue q join messages m using (tenant_id, message_id)
        where ${SELECTED} and ${RETRYABLE} and m.status = 'deferred'
        order by q.created_at, q.message_id limit $5 for update of q skip locked
     )
     update delivery_queue q set due_at = $4 from picked where ${is('q', 'picked')}
     returning q.tenant_id, q.message_id`,
    [...valuesOf(selection), now.toISOString(), limit],
  );
}

/** Leases up to `limit` unleased messages, oldest first. */
export async function claimSelected(
  db: Queryable,
  selection: Selection,
  limit: number,
): Promise<ClaimedRow[]> {
  if (await isDistributed(db)) {
    const picked = await db.query<QueueKey>(
      `select q.tenant_id, q.message_id from delivery_queue q where ${SELECTED} and ${FREE}
        order by q.created_at, q.message_id limit $4`,
      [...valuesOf(selection), limit],
    );
    return forEachTenant(picked, (tenantId, ids) => claimOf(db, tenantId, ids));
  }
  return db.query<ClaimedRow>(
    `with picked as materialized (
       select q.tenant_id, q.message_id${place('q')} from delivery_queue q where ${SELECTED} and ${FREE}
        order by q.created_at, q.message_id limit $4 for update skip locked
     )
     update delivery_queue q set attempt = q.attempt + 1, due_at = ${LEASE_END}, leased_until = ${LEASE_END}
       from picked join messages m using (tenant_id, message_id) join tenants t using (tenant_id)
      where ${is('q', 'picked')}
     returning ${CLAIMED}, t.source_pool`,
    [...valuesOf(selection), limit],
  );
}

function claimOf(db: Queryable, tenantId: string, messageIds: readonly string[]): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(
    `update delivery_queue q set attempt = q.attempt + 1, due_at = ${LEASE_END}, leased_until = ${LEASE_END}
       from messages m
      where q.tenant_id = $1 and q.message_id = any ($2::uuid[]) and ${FREE}
        and m.tenant_id = $1 and m.message_id = q.message_id
     returning ${CLAIMED},
               (select t.source_pool from tenants t where t.tenant_id = $1) as source_pool`,
    [tenantId, messageIds],
  );
}
