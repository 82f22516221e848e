import type { Queryable } from '../platform/database/db.ts';

/** A key range per account. `firstId`: a lower bound of ids. Counts up to `limit` per account. */
export async function countAccepted(
  db: Queryable,
  since: { readonly at: Date; readonly firstId: string },
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select coalesce(sum(c.count), 0)::integer as count
       from tenants t cross join lateral (
         select count(*) as count from (
           select 1 from messages m where m.tenant_id = t.tenant_id
             and m.message_id >= $1 and m.created_at >= $2
            limit $3) lately) c`,
    [since.firstId, since.at.toISOString(), limit],
  );
  return row!.count;
}
