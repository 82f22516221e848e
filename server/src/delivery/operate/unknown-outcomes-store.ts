import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import type { ClaimedRow } from '../claim/claim-store.ts';
import { forEachTenant, type QueueKey } from './for-each-tenant.ts';
import type { QueueFilter } from './queue-store.ts';

/**
 * Moves up to `limit` messages out of the queue, leased or not; returns how many. With Citus a concurrent
 * call may count the same row: call until 0.
 */
export async function holdQueued(tx: Tx, now: Date, limit: number): Promise<number> {
  if (tx.distributed) {
    const picked = await tx.query<QueueKey>(
      'select tenant_id, message_id from delivery_queue order by tenant_id, message_id limit $1',
      [limit],
    );
    await forEachTenant(picked, (tenantId, ids) =>
      tx.query(
        `with taken as (
           delete from delivery_queue where tenant_id = $1 and message_id = any ($2::uuid[])
           returning tenant_id, message_id, destination, attempt, created_at, expires_at
         )
         insert into unknown_outcomes (tenant_id, message_id, destination, attempt, created_at, expires_at,
           held_at)
         select $1, message_id, destination, attempt, created_at, expires_at, $3 from taken returning null`,
        [tenantId, ids, now.toISOString()],
      ),
    );
    return picked.length;
  }
  return tx.execute(
    `with picked as materialized (
       select tenant_id, message_id from delivery_queue order by tenant_id, message_id limit $2 for update
     ), taken as (
       delete from delivery_queue q using picked p
        where q.tenant_id = p.tenant_id and q.message_id = p.message_id
       returning q.tenant_id, q.message_id, q.destination, q.attempt, q.created_at, q.expires_at
     )
     insert into unknown_outcomes (tenant_id, message_id, destination, attempt, created_at, expires_at,
       held_at)
     select tenant_id, message_id, destination, attempt, created_at, expires_at, $1 from taken`,
    [now.toISOString(), limit],
  );
}

/** `messageId`: that message alone. */
export interface UnknownFilter extends QueueFilter {
  readonly messageId: string | null;
}

/** $1 to $3; `u`: the table. */
const SELECTED = `($1::uuid is null or u.tenant_id = $1) and ($2::text is null or u.destination = $2)
        and ($3::uuid is null or u.message_id = $3)`;
const valuesOf = ({ tenantId, destination, messageId }: UnknownFilter) => [tenantId, destination, messageId];

export async function countUnknown(q: Queryable, filter: UnknownFilter): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(*)::integer as count from unknown_outcomes u where ${SELECTED}`,
    valuesOf(filter),
  );
  return row!.count;
}

export interface UnknownRow {
  readonly tenant_id: string;
  readonly message_id: string;
  readonly destination: string;
  readonly attempts: number;
  readonly created_at: Date;
  readonly held_at: Date;
}

export function listUnknown(q: Queryable, filter: UnknownFilter, limit: number): Promise<UnknownRow[]> {
  return q.query<UnknownRow>(
    `select u.tenant_id, u.message_id, u.destination, m.attempts, u.created_at, u.held_at
       from unknown_outcomes u join messages m using (tenant_id, message_id)
      where ${SELECTED} order by u.created_at, u.message_id limit $4`,
    [...valuesOf(filter), limit],
  );
}

/** Queues up to `limit` of these messages, due now; expired ones get until `expiresAt`. */
export async function requeueUnknown(
  tx: Tx,
  filter: UnknownFilter,
  { now, expiresAt, limit }: { readonly now: Date; readonly expiresAt: Date; readonly limit: number },
): Promise<QueueKey[]> {
  if (tx.distributed) {
    const picked = await tx.query<QueueKey>(
      `select u.tenant_id, u.message_id from unknown_outcomes u where ${SELECTED}
        order by u.created_at, u.message_id limit $4`,
      [...valuesOf(filter), limit],
    );
    return forEachTenant(picked, (tenantId, ids) =>
      tx.query<QueueKey>(
        `with taken as (
           delete from unknown_outcomes where tenant_id = $1 and message_id = any ($2::uuid[])
           returning tenant_id, message_id, destination, attempt, created_at, expires_at
         )
         insert into delivery_queue (tenant_id, message_id, destination, due_at, attempt, created_at,
           expires_at)
         select $1, message_id, destination, $3, attempt, created_at, greatest(expires_at, $4) from taken
         returning tenant_id, message_id`,
        [tenantId, ids, now.toISOString(), expiresAt.toISOString()],
      ),
    );
  }
  return tx.query(
    `with picked as materialized (
       select u.tenant_id, u.message_id from unknown_outcomes u where ${SELECTED}
        order by u.created_at, u.message_id limit $6 for update skip locked
     ), taken as (
       delete from unknown_outcomes u using picked p
        where u.tenant_id = p.tenant_id and u.message_id = p.message_id
       returning u.tenant_id, u.message_id, u.destination, u.attempt, u.created_at, u.expires_at
     )
     insert into delivery_queue (tenant_id, message_id, destination, due_at, attempt, created_at, expires_at)
     select tenant_id, message_id, destination, $4, attempt, created_at, greatest(expires_at, $5) from taken
     returning tenant_id, message_id`,
    [...valuesOf(filter), now.toISOString(), expiresAt.toISOString(), limit],
  );
}

export function readUnknownAsClaimed(
  q: Queryable,
  filter: UnknownFilter,
  after: string | null,
  limit: number,
): Promise<ClaimedRow[]> {
  return q.query<ClaimedRow>(
    `select u.tenant_id, u.message_id, u.destination, u.attempt, u.created_at, u.expires_at, m.header_to,
            m.sender_address, m.recipient_address, m.reverse_path, m.certified, m.size_bytes, m.sandbox,
            m.attempts as attempts_made, m.deferred_at is not null as was_deferred, t.source_pool
       from unknown_outcomes u join messages m using (tenant_id, message_id) join tenants t using (tenant_id)
      where ${SELECTED} and ($4::uuid is null or u.message_id > $4) order by u.message_id limit $5`,
    [...valuesOf(filter), after, limit],
  );
}

/** Fences the end of one; false: somebody was faster. */
export function takeUnknown(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  return changed(tx, 'delete from unknown_outcomes where tenant_id = $1 and message_id = $2', [
    tenantId,
    messageId,
  ]);
}
