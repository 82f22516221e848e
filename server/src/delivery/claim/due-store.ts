import type { Queryable, Tx } from '../../platform/database/db.ts';
import { readInOrderByOnePlan } from '../../platform/database/read-in-order.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import type { AskSpan, Found } from '../../platform/queue/scans.ts';
import { isDue } from './due.ts';

/**
 * Due tenants, at a cost of the due rows up to a bound. One page has those due longest; if there are more, a
 * second page has the newest, and the remaining tenants are asked in turn.
 */

export interface TenantTurn {
  readonly tenant_id: string;
  readonly due: boolean;
}

/** Due messages read: the oldest, and the newest if there are more. */
export const OLDEST_MAX = 500;
export const NEWEST_MAX = 200;

const DUE_AT = "timezone('UTC', q.due_at)";

/**
 * $1: the start. As a row comparison: without statistics the planner takes two bounds for a narrow range, and
 * would sort all due rows.
 */
const DUE_SINCE = `(${DUE_AT}, q.tenant_id) >= (timezone('UTC', coalesce($1::timestamptz, '-infinity')), '${FIRST_ID}')
        and ${DUE_AT} <= timezone('UTC', greatest($2::timestamptz, now())) and ${isDue('q')}`;

/** In order; rows due before `from` are skipped. */
export async function findDueTenants(tx: Tx, now: Date, from: Date | null): Promise<Found<string>> {
  // The planner takes a suddenly full queue for a short one, and would sort it all.
  readInOrderByOnePlan(tx);
  const rows = await tx.query<{ tenant_id: string; more: boolean; oldest: Date }>(
    `with oldest as materialized (
       select q.tenant_id, q.due_at from delivery_queue q where ${DUE_SINCE} order by ${DUE_AT}
        limit ${OLDEST_MAX}
     ), counted as materialized (select count(*) = ${OLDEST_MAX} as more, min(due_at) as oldest from oldest
     ), newest as materialized (
       select q.tenant_id from delivery_queue q where (select more from counted) and ${DUE_SINCE}
        order by ${DUE_AT} desc limit ${NEWEST_MAX}
     )
     select found.tenant_id, counted.more, counted.oldest
       from (select tenant_id from oldest union select tenant_id from newest) found cross join counted
      order by found.tenant_id`,
    [from?.toISOString() ?? null, now.toISOString()],
    'delivery_find_due_tenants',
  );
  const [first] = rows;
  return {
    owners: rows.map((row) => row.tenant_id),
    more: first?.more ?? false,
    oldest: first?.oldest ?? null,
  };
}

/** The next tenants after `after`, and whether each has due work. */
export function askTenants(
  db: Queryable,
  { now, from, among }: AskSpan,
  after: string | null,
  limit: number,
): Promise<TenantTurn[]> {
  const of = (tenant: string) => (among === null ? '' : `and ${tenant} = any ($5::uuid[])`);
  return db.query<TenantTurn>(
    `select t.tenant_id, due.tenant_id is not null as due
       from tenants t
       left join lateral (
         select q.tenant_id from delivery_queue q
          where q.tenant_id = t.tenant_id and q.due_at >= coalesce($1::timestamptz, '-infinity')
            and ${isDue('q')} ${of('q.tenant_id')} limit 1
       ) due on true
      where t.tenant_id > $3 ${of('t.tenant_id')} order by t.tenant_id limit $4`,
    [
      ...[from?.toISOString() ?? null, now.toISOString(), after ?? FIRST_ID, limit],
      ...(among === null ? [] : [among]),
    ],
    // Unnamed: Citus chooses nodes by the accounts that it sees.
    among === null ? 'delivery_ask_tenants' : undefined,
  );
}
