import type { Queryable } from '../../platform/database/db.ts';
import { isDue } from './due.ts';

/**
 * Which tenants have due work: at a cost of what is due, up to a bound, and not of what waits. One page shows
 * those whose work has been due longest; where there is more than that, a second page shows the newest (a
 * single message behind a flood), and tenants are asked in turn, so that nobody is overlooked for long.
 */

export interface DueTenants {
  readonly tenants: readonly string[];
  /** There may be others. */
  readonly more: boolean;
  readonly oldest: Date | null;
}

/** Due messages looked at: of the oldest, and of the newest where there are more. */
export const OLDEST_MAX = 500;
export const NEWEST_MAX = 200;

const DUE_AT = "timezone('UTC', q.due_at)";
/** Before every tenant. */
export const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * $1: from when on. As a pair of rows, because without statistics the planner takes two bounds of one value
 * for a narrow range, and would sort all that is due instead of reading the index in its order.
 */
const DUE_SINCE = `(${DUE_AT}, q.tenant_id) >= (timezone('UTC', coalesce($1::timestamptz, '-infinity')), '${NO_TENANT}')
        and ${DUE_AT} <= timezone('UTC', greatest($2::timestamptz, now())) and ${isDue('q')}`;

/** In order. `from`: what is due since before is left out. */
export async function findDueTenants(db: Queryable, now: Date, from: Date | null): Promise<DueTenants> {
  const rows = await db.query<{ tenant_id: string; more: boolean; oldest: Date }>(
    `with oldest as materialized (
       select q.tenant_id, q.due_at from delivery_queue q where ${DUE_SINCE} order by ${DUE_AT} limit $3
     ), counted as materialized (select count(*) = $3 as more, min(due_at) as oldest from oldest
     ), newest as materialized (
       select q.tenant_id from delivery_queue q where (select more from counted) and ${DUE_SINCE}
        order by ${DUE_AT} desc limit $4
     )
     select found.tenant_id, counted.more, counted.oldest
       from (select tenant_id from oldest union select tenant_id from newest) found cross join counted
      order by found.tenant_id`,
    // Without a name: a plan that was made while the queue was empty would be kept when it is not.
    [from?.toISOString() ?? null, now.toISOString(), OLDEST_MAX, NEWEST_MAX],
  );
  const [first] = rows;
  return {
    tenants: rows.map((row) => row.tenant_id),
    more: first?.more ?? false,
    oldest: first?.oldest ?? null,
  };
}

/** The next tenants after `after`, up to `limit`, and whether each has due work. */
export function askTenants(
  db: Queryable,
  { now, from }: { readonly now: Date; readonly from: Date | null },
  after: string,
  limit: number,
): Promise<{ tenant_id: string; due: boolean }[]> {
  return db.query<{ tenant_id: string; due: boolean }>(
    `select t.tenant_id, due.tenant_id is not null as due
       from tenants t
       left join lateral (
         select q.tenant_id from delivery_queue q
          where q.tenant_id = t.tenant_id and q.due_at >= coalesce($1::timestamptz, '-infinity')
            and ${isDue('q')} limit 1
       ) due on true
      where t.tenant_id > $3 order by t.tenant_id limit $4`,
    [from?.toISOString() ?? null, now.toISOString(), after, limit],
    'delivery_ask_tenants',
  );
}
