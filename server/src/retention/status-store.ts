import type { Queryable } from '../platform/database/db.ts';

/** What an operator asks of retention. */

export interface DeletionCount {
  readonly cause: 'retention' | 'erasure';
  readonly messages: number;
  readonly lastAt: Date;
}

export function countDeletions(db: Queryable): Promise<DeletionCount[]> {
  return db.query<DeletionCount>(
    `select cause, count(*)::integer as messages, max(deleted_at) as "lastAt" from content_deletions group by cause`,
  );
}

export async function listTenants(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ tenant_id: string }>('select tenant_id from tenants order by tenant_id');
  return rows.map((row) => row.tenant_id);
}

/**
 * Plain messages after `after` past their retention period whose content is still there; counts up to
 * `limit`.
 */
export async function countDuePlain(
  db: Queryable,
  tenantId: string,
  range: { after: string; before: string; cutoff: Date; limit: number },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from messages m join message_contents c on c.tenant_id = m.tenant_id and c.message_id =
         m.message_id
        where m.tenant_id = $1 and m.message_id > $2 and m.message_id < $3 and not m.certified and
          m.created_at < $4
        limit $5) due`,
    [tenantId, range.after, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!.count;
}

/**
 * Certified messages to which nothing has happened since `cutoff`, and not erased; `before`: no id of theirs
 * is later. Counts up to `limit`.
 */
export async function countCertified(
  db: Queryable,
  tenantId: string,
  range: { before: string; cutoff: Date; limit: number },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count from (
       select 1 from messages
        where tenant_id = $1 and message_id < $2 and certified and erased_at is null
          and greatest(created_at, sent_at, deferred_at, bounced_at, cancelled_at, complained_at) <= $3
        limit $4) kept`,
    [tenantId, range.before, range.cutoff.toISOString(), range.limit],
  );
  return row!.count;
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
