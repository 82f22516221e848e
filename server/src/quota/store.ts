import type { Queryable, Tx } from '../platform/db.ts';
import type { Bag } from './bag.ts';

export interface BagCount {
  tenantId: string;
  bag: Bag;
  count: number;
}

const QUOTA = `case w.bag when 'certified' then t.quota_messages_month else t.quota_plain_messages_month end`;

/**
 * Takes whole counts where they fit, one row a tenant and bag; returns those it took. Rows are locked in one order, also
 * those that had no room, and stay locked: what follows in the transaction can neither deadlock nor find less room.
 * A row that is new and has no room is made with 0, so a used of 0 means "not taken".
 */
export async function takeWhole(tx: Tx, month: string, wants: readonly BagCount[]): Promise<BagCount[]> {
  const rows = await tx.query<BagCount>(
    `insert into quota_usage (tenant_id, month, bag, used)
     select w.tenant_id, $1::date, w.bag, case when w.count <= ${QUOTA} then w.count else 0 end
       from unnest($2::uuid[], $3::text[], $4::bigint[]) as w (tenant_id, bag, count) join tenants t on t.tenant_id = w.tenant_id
      order by w.tenant_id, w.bag
     on conflict (tenant_id, month, bag) do update set used = quota_usage.used + excluded.used
      where excluded.used > 0
        and quota_usage.used + excluded.used <=
            (select case excluded.bag when 'certified' then t.quota_messages_month else t.quota_plain_messages_month end
               from tenants t where t.tenant_id = excluded.tenant_id)
     returning tenant_id as "tenantId", bag, used as count`,
    [
      month,
      wants.map((want) => want.tenantId),
      wants.map((want) => want.bag),
      wants.map((want) => want.count),
    ],
    'quota_take_whole',
  );
  return rows.filter((row) => row.count > 0);
}

/** Takes what is left of rows that `takeWhole` has locked in this transaction; returns how many of each were taken. */
export function takeRest(tx: Tx, month: string, wants: readonly BagCount[]): Promise<BagCount[]> {
  return tx.query<BagCount>(
    `update quota_usage q set used = q.used + w.fits
       from (select w.tenant_id, w.bag, least(w.count, greatest(0, ${QUOTA} - u.used)) as fits
               from unnest($2::uuid[], $3::text[], $4::bigint[]) as w (tenant_id, bag, count)
               join tenants t on t.tenant_id = w.tenant_id
               join quota_usage u on u.tenant_id = w.tenant_id and u.month = $1::date and u.bag = w.bag) as w
      where q.tenant_id = w.tenant_id and q.month = $1::date and q.bag = w.bag
     returning q.tenant_id as "tenantId", q.bag, w.fits as count`,
    [
      month,
      wants.map((want) => want.tenantId),
      wants.map((want) => want.bag),
      wants.map((want) => want.count),
    ],
    'quota_take_rest',
  );
}

/** Gives back counts taken in this same transaction. */
export async function giveBack(tx: Tx, month: string, counts: readonly BagCount[]): Promise<void> {
  await tx.execute(
    `update quota_usage q set used = q.used - w.count
       from unnest($2::uuid[], $3::text[], $4::bigint[]) as w (tenant_id, bag, count)
      where q.tenant_id = w.tenant_id and q.month = $1::date and q.bag = w.bag`,
    [
      month,
      counts.map((want) => want.tenantId),
      counts.map((want) => want.bag),
      counts.map((want) => want.count),
    ],
    'quota_give_back',
  );
}

/** What a tenant has used of both bags in a month. */
export async function readUsage(
  db: Queryable,
  tenantId: string,
  month: string,
): Promise<Record<Bag, number>> {
  const rows = await db.query<{ bag: Bag; used: number }>(
    'select bag, used from quota_usage where tenant_id = $1 and month = $2::date',
    [tenantId, month],
  );
  return { certified: 0, plain: 0, ...Object.fromEntries(rows.map((row) => [row.bag, row.used])) };
}
