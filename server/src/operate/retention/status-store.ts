import type { Queryable, Tx } from '../../platform/database/db.ts';
import { readInOrder } from '../../platform/database/read-in-order.ts';

/** What an operator asks of retention. */

export interface DeletionCount {
  /** Counted up to the limit. */
  readonly messages: number;
  /** Null: there was none. */
  readonly lastAt: Date | null;
}

/** Of one cause, counted up to `limit`. Without statistics the planner would sort all of them. */
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

export async function listTenants(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>('select tenant_id from tenants order by tenant_id');
  return rows.map((row) => row.tenant_id);
}

/** Of the messages that were looked at, those that count. */
export interface Looked {
  readonly looked: number;
  readonly found: number;
}

/**
 * An account's plain messages past their retention period whose content is still there, behind where the
 * sweep has been; looks at `limit` contents at most. `before`: no id of theirs is later.
 */
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

/**
 * An account's certified messages to which nothing has happened since `cutoff`, and not erased; `before`: no
 * id of theirs is later. What was erased has no content, nor has what retention deleted: looks at `limit`
 * contents at most, the oldest.
 */
export async function countCertified(
  db: Queryable,
  tenantId: string,
  range: { before: string; cutoff: Date; limit: number },
): Promise<Looked> {
  const [row] = await db.query<Looked>(
    `with looked as materialized (
       select c.message_id from message_contents c
        where c.tenant_id = $1 and c.message_id < $2 order by c.message_id limit $4
     )
     select count(*)::integer as looked,
            (count(*) filter (where m.certified and m.erased_at is null and greatest(m.created_at, m.sent_at,
              m.deferred_at, m.bounced_at, m.cancelled_at, m.complained_at) <= $3))::integer as found
       from looked l join messages m on m.tenant_id = $1 and m.message_id = l.message_id`,
    [tenantId, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!;
}

/**
 * For how long the sweep that is due longest has been (s); an account that was never swept counts from its
 * beginning.
 */
export async function readOverdueSeconds(db: Queryable): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(
    `select greatest(0, coalesce(extract(epoch from now() - min(coalesce(s.due_at, t.created_at))),
      0))::double precision as seconds
       from tenants t left join retention_sweeps s on s.tenant_id = t.tenant_id`,
    [],
    'retention_overdue',
  );
  return row!.seconds;
}
