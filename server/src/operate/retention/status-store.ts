import type { Queryable, Tx } from '../../platform/database/db.ts';
import { readInOrder } from '../../platform/database/read-in-order.ts';

export interface DeletionCount {
  readonly messages: number;
  readonly lastAt: Date | null;
}

/** Up to `limit`. Without statistics the planner would sort all. */
export async function countDeletions(
  tx: Tx,
  cause: 'retention' | 'erasure',
  limit: number,
): Promise<DeletionCount> {
  readInOrder(tx);
  const [row] = await tx.query<DeletionCount>(
    `select count(*)::integer as messages, max(deleted_at) as "lastAt"
       from (select deleted_at from content_deletions where cause = $1 order by deleted_at desc limit $2) d`,
    [cause, limit],
  );
  return row!;
}

export async function countDeletedRecords(q: Queryable, tenantId: string): Promise<number> {
  const [row] = await q.query<{ records: number }>(
    'select coalesce(sum(records), 0)::bigint as records from deleted_records where tenant_id = $1',
    [tenantId],
  );
  return Number(row!.records);
}

export interface SweptTenant {
  readonly tenantId: string;
  /** Days of its records; null: the installation's. */
  readonly ownDays: number | null;
}

export function listTenants(db: Queryable): Promise<SweptTenant[]> {
  return db.query<SweptTenant>(
    'select tenant_id as "tenantId", plain_record_days as "ownDays" from tenants order by tenant_id',
  );
}

export interface Looked {
  readonly looked: number;
  readonly found: number;
}

/** Expired plain content behind the sweep's position; examines `limit`. `before`: an upper bound of ids. */
export async function countDuePlain(
  db: Queryable,
  tenantId: string,
  range: { first: string; before: string; cutoff: Date; limit: number },
): Promise<Looked> {
  const [row] = await db.query<Looked>(
    `with looked as materialized (
       select c.message_id from message_contents c
        where c.tenant_id = $1 and c.message_id < $3 and c.message_id >
          coalesce((select s.swept_to from retention_sweeps s where s.tenant_id = $1), $2::uuid)
        order by c.message_id limit $5
     )
     select count(*)::integer as looked,
            (count(*) filter (where not m.certified and m.created_at < $4))::integer as found
       from looked l join messages m on m.tenant_id = $1 and m.message_id = l.message_id`,
    [tenantId, range.first, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!;
}

/** Expired records behind the sweep's position, their content gone or not; as countDuePlain. */
export async function countDueRecords(
  db: Queryable,
  tenantId: string,
  range: { first: string; before: string; cutoff: Date; limit: number },
): Promise<Looked> {
  const [row] = await db.query<Looked>(
    `with looked as materialized (
       select certified, created_at, status from messages
        where tenant_id = $1 and message_id < $3 and message_id >
          coalesce((select s.records_to from retention_sweeps s where s.tenant_id = $1), $2::uuid)
        order by message_id limit $5
     )
     select count(*)::integer as looked,
            (count(*) filter (where not certified and created_at < $4 and status in
              ('sent', 'bounced', 'cancelled', 'complained')))::integer as found
       from looked`,
    [tenantId, range.first, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!;
}

/**
 * Certified messages without events since `cutoff`, their content here or in an archive; `before`: an upper
 * bound of ids.
 */
export async function countCertified(
  db: Queryable,
  tenantId: string,
  range: { before: string; cutoff: Date; limit: number },
): Promise<Looked> {
  const [row] = await db.query<Looked>(
    `with looked as materialized (
       select c.message_id from leaf_contents c
        where c.tenant_id = $1 and c.message_id < $2 and c.ordinal = 0 order by c.message_id limit $4
     )
     select count(*)::integer as looked,
            (count(*) filter (
               where m.certified and m.erased_at is null
                 and greatest(m.created_at, m.sent_at, m.deferred_at, m.bounced_at, m.cancelled_at,
                              m.complained_at) <= $3))::integer as found
       from looked l join messages m on m.tenant_id = $1 and m.message_id = l.message_id`,
    [tenantId, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!;
}

/** A new account counts from its creation (s). */
export async function readOverdueSeconds(db: Queryable): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(
    `select greatest(0, coalesce(extract(epoch from now() - min(coalesce(s.due_at, t.created_at))), 0)
                    )::double precision as seconds
       from tenants t left join retention_sweeps s on s.tenant_id = t.tenant_id`,
    [],
    'retention_overdue',
  );
  return row!.seconds;
}
