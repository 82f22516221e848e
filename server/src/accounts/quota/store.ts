import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { Bag } from './bag.ts';

/** As YYYY-MM-01. */
export interface BagCount {
  tenantId: string;
  bag: Bag;
  month: string;
  count: number;
}

const QUOTA = `case w.bag when 'certified' then t.quota_messages_month else t.quota_plain_messages_month end`;
const WANTED = 'unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[]) as w (tenant_id, month, bag, count)';

/**
 * Takes whole counts that fit, one row per tenant, month and bag. Locks all rows in order, also full ones. A
 * new full row is created with 0, so `used` 0 means "not taken".
 */
export async function takeWhole(tx: Tx, wants: readonly BagCount[]): Promise<BagCount[]> {
  const rows = await tx.query<BagCount>(
    `insert into quota_usage (tenant_id, month, bag, used)
     select w.tenant_id, w.month, w.bag, case when w.count <= ${QUOTA} then w.count else 0 end
       from ${WANTED} join tenants t on t.tenant_id = w.tenant_id
      order by w.tenant_id, w.month, w.bag
     on conflict (tenant_id, month, bag) do update set used = quota_usage.used + excluded.used
      where excluded.used > 0
        and quota_usage.used + excluded.used <=
            (select case excluded.bag when 'certified' then t.quota_messages_month
                                      else t.quota_plain_messages_month end
               from tenants t where t.tenant_id = excluded.tenant_id)
     returning tenant_id as "tenantId", month, bag, used as count`,
    columns(wants),
    'quota_take_whole',
  );
  return rows.filter((row) => row.count > 0);
}

/** Only for rows locked by `takeWhole`. */
export function takeRest(tx: Tx, wants: readonly BagCount[]): Promise<BagCount[]> {
  return tx.query<BagCount>(
    `update quota_usage q set used = q.used + fit.count
       from (select u.tenant_id, u.month, u.bag, least(w.count, greatest(0, ${QUOTA} - u.used)) as count
               from ${WANTED} join tenants t on t.tenant_id = w.tenant_id
               join quota_usage u on u.tenant_id = w.tenant_id and u.month = w.month and u.bag = w.bag) as fit
      where q.tenant_id = fit.tenant_id and q.month = fit.month and q.bag = fit.bag
     returning q.tenant_id as "tenantId", q.month, q.bag, fit.count`,
    columns(wants),
    'quota_take_rest',
  );
}

export interface Room {
  readonly month: string;
  readonly bag: Bag;
  /** Negative after the quota was lowered. */
  readonly room: number;
}

/**
 * With Citus, instead of takeWhole and takeRest: it allows no subselect in `on conflict`. Locks or creates an
 * account's rows.
 */
export function lockRooms(tx: Tx, tenantId: string, wants: readonly BagCount[]): Promise<Room[]> {
  const bags = [tenantId, wants.map(({ month }) => month), wants.map(({ bag }) => bag)];
  tx.send(
    `insert into quota_usage (tenant_id, month, bag, used)
     select t.tenant_id, w.month, w.bag, 0
       from tenants t cross join unnest($2::date[], $3::text[]) as w (month, bag)
      where t.tenant_id = $1
     on conflict (tenant_id, month, bag) do nothing`,
    bags,
    'quota_make_rooms',
  );
  return tx.query<Room>(
    `select q.month, q.bag, case q.bag when 'certified' then t.quota_messages_month
              else t.quota_plain_messages_month end - q.used as room
       from quota_usage q join tenants t on t.tenant_id = q.tenant_id
      where q.tenant_id = $1 and t.tenant_id = $1
        and (q.month, q.bag) in (select * from unnest($2::date[], $3::text[]))
      order by q.month, q.bag for update of q`,
    bags,
    'quota_lock_rooms',
  );
}

/** Only after lockRooms. */
export function addUsed(tx: Tx, { tenantId, month, bag, count }: BagCount): void {
  tx.send(
    'update quota_usage set used = used + $4 where tenant_id = $1 and month = $2 and bag = $3',
    [tenantId, month, bag, count],
    'quota_add_used',
  );
}

export async function giveBack(tx: Tx, counts: readonly BagCount[]): Promise<void> {
  await tx.execute(
    `update quota_usage q set used = q.used - w.count from ${WANTED}
      where q.tenant_id = w.tenant_id and q.month = w.month and q.bag = w.bag`,
    columns(counts),
    'quota_give_back',
  );
}

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

export interface ConstanciaUsage {
  onDemand: number;
  costMicros: number;
}

export async function readConstancias(
  db: Queryable,
  tenantId: string,
  month: string,
): Promise<ConstanciaUsage> {
  const [row] = await db.query<ConstanciaUsage>(
    `select coalesce(sum(cost_micros), 0)::bigint as "costMicros",
            (select count(*) from message_certificates m
              where m.tenant_id = $1 and m.gen_time >= $2::date
                and m.gen_time < $2::date + interval '1 month') as "onDemand"
       from sealing_costs where tenant_id = $1 and month = $2::date`,
    [tenantId, month],
  );
  return row!;
}

function columns(of: readonly BagCount[]): unknown[] {
  return [
    of.map((each) => each.tenantId),
    of.map((each) => each.month),
    of.map((each) => each.bag),
    of.map((each) => each.count),
  ];
}

export interface MonthUsage {
  readonly tenantId: string;
  readonly name: string;
  readonly certified: number;
  readonly plain: number;
  readonly pricePerMessageCents: number;
  readonly pricePerPlainMessageCents: number;
  readonly costMicros: number;
}

export function readMonth(db: Queryable, month: string): Promise<MonthUsage[]> {
  return db.query<MonthUsage>(
    `select t.tenant_id as "tenantId", t.name,
            coalesce((select used from quota_usage q
                       where q.tenant_id = t.tenant_id and q.month = $1::date and q.bag = 'certified'), 0)
              as certified,
            coalesce((select used from quota_usage q
                       where q.tenant_id = t.tenant_id and q.month = $1::date and q.bag = 'plain'), 0)
              as plain,
            t.price_per_message_cents as "pricePerMessageCents",
            t.price_per_plain_message_cents as "pricePerPlainMessageCents",
            coalesce((select sum(c.cost_micros) from sealing_costs c
                       where c.tenant_id = t.tenant_id and c.month = $1::date), 0)::bigint as "costMicros"
       from tenants t where not t.sandbox order by t.tenant_id`,
    [month],
  );
}

export interface UsedInMonth extends ConstanciaUsage {
  readonly month: string;
  readonly certified: number;
  readonly plain: number;
}

export function readMonths(db: Queryable, tenantId: string, months: number): Promise<UsedInMonth[]> {
  return db.query<UsedInMonth>(
    `select to_char(q.month, 'YYYY-MM') as month,
            coalesce(sum(q.used) filter (where q.bag = 'certified'), 0)::bigint as certified,
            coalesce(sum(q.used) filter (where q.bag = 'plain'), 0)::bigint as plain,
            coalesce((select sum(c.cost_micros) from sealing_costs c
                       where c.tenant_id = $1 and c.month = q.month), 0)::bigint as "costMicros",
            (select count(*) from message_certificates m
              where m.tenant_id = $1 and m.gen_time >= q.month
                and m.gen_time < q.month + interval '1 month') as "onDemand"
       from quota_usage q where q.tenant_id = $1
      group by q.month order by q.month desc limit $2`,
    [tenantId, months],
  );
}
