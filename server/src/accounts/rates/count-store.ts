import { plainArray } from '../../platform/database/array-text.ts';
import type { Tx } from '../../platform/database/db.ts';

/**
 * Counters: transactions append increments, so that none waits for another. They are summed later in pages;
 * reads include the rest: COUNTED_DAYS.
 */

interface Ingested {
  readonly tenantId: string;
  readonly createdAt: Date;
  readonly certified: boolean;
}

const DAY_MS = 86_400_000;

/** Pipelined. */
export function countIngested(tx: Tx, messages: readonly Ingested[]): void {
  const counts = new Map<string, { tenantId: string; day: string; all: number; certified: number }>();
  for (const { tenantId, createdAt, certified } of messages) {
    const key = `${tenantId} ${Math.floor(createdAt.getTime() / DAY_MS)}`;
    let count = counts.get(key);
    if (count === undefined) {
      count = { tenantId, day: createdAt.toISOString().slice(0, 10), all: 0, certified: 0 };
      counts.set(key, count);
    }
    count.all++;
    if (certified) count.certified++;
  }
  const added = [...counts.values()];
  tx.send(
    `insert into counter_additions (tenant_id, day, ingested, ingested_certified)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[])
     returning null`,
    [
      plainArray(added.map((count) => count.tenantId)),
      plainArray(added.map((count) => count.day)),
      plainArray(added.map((count) => count.all)),
      plainArray(added.map((count) => count.certified)),
    ],
    'accept_count_ingested',
  );
}

export type CountedState = 'sent' | 'deferred' | 'bounced' | 'complained';

export interface FirstEntry {
  readonly tenantId: string;
  readonly state: CountedState;
  readonly at: Date;
}

export async function countEntries(tx: Tx, entries: readonly FirstEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const days = new Map<string, { tenantId: string; day: string } & Record<CountedState, number>>();
  for (const { tenantId, state, at } of entries) {
    const day = at.toISOString().slice(0, 10);
    const key = tenantId + day;
    const count = days.get(key) ?? { tenantId, day, sent: 0, deferred: 0, bounced: 0, complained: 0 };
    count[state]++;
    days.set(key, count);
  }
  const added = [...days.values()];
  await tx.execute(
    `insert into counter_additions (tenant_id, day, sent, deferred, bounced, complained)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     returning null`,
    [
      added.map((count) => count.tenantId),
      added.map((count) => count.day),
      added.map((count) => count.sent),
      added.map((count) => count.deferred),
      added.map((count) => count.bounced),
      added.map((count) => count.complained),
    ],
    'delivery_count_entries',
  );
}

export async function countSealed(
  tx: Tx,
  day: string,
  counts: Iterable<readonly [tenantId: string, sealed: number]>,
): Promise<void> {
  const added = [...counts];
  await tx.execute(
    `insert into counter_additions (tenant_id, day, sealed)
     select n.tenant_id, $1::date, n.sealed from unnest($2::uuid[], $3::bigint[]) as n (tenant_id, sealed)
     returning null`,
    [day, added.map(([tenantId]) => tenantId), added.map(([, sealed]) => sealed)],
    'count_sealed',
  );
}

/** Skips rows locked by others; sums are in key order, the common lock order. */
export async function takeAdditions(tx: Tx, limit: number): Promise<{ taken: number; sums: DaySum[] }> {
  const sums: (DaySum & { rows: number })[] = tx.distributed ? [] : await takeOfAll(tx, limit);
  if (tx.distributed)
    for (const tenantId of await someCounted(tx, limit))
      sums.push(...(await takeOfTenant(tx, tenantId, limit)));
  return { taken: sums.reduce((sum, { rows }) => sum + rows, 0), sums };
}

async function someCounted(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }>(
    `select distinct tenant_id as "tenantId" from (select tenant_id from counter_additions limit $1) seen
      order by 1`,
    [limit],
    'count_some_counted',
  );
  return rows.map(({ tenantId }) => tenantId);
}

function takeOfAll(tx: Tx, limit: number): Promise<(DaySum & { rows: number })[]> {
  return tx.query<DaySum & { rows: number }>(takeWhere('', '$1'), [limit], 'count_take_additions');
}

/** With Citus: `skip locked` works only on one node. */
function takeOfTenant(tx: Tx, tenantId: string, limit: number): Promise<(DaySum & { rows: number })[]> {
  return tx.query<DaySum & { rows: number }>(
    takeWhere('tenant_id = $1', '$2'),
    [tenantId, limit],
    'count_take_additions_of_tenant',
  );
}

function takeWhere(tenant: string, limit: string): string {
  return `with taken as (
       delete from counter_additions
        where ${tenant === '' ? '' : `${tenant} and `}ctid = any (array(select ctid from counter_additions
          ${tenant === '' ? '' : `where ${tenant}`} limit ${limit} for update skip locked))
       returning *)
     select tenant_id as "tenantId", day, count(*) as rows, sum(ingested)::bigint as ingested,
            sum(ingested_certified)::bigint as "ingestedCertified", sum(sent)::bigint as sent,
            sum(deferred)::bigint as deferred, sum(bounced)::bigint as bounced,
            sum(complained)::bigint as complained, sum(sealed)::bigint as sealed
       from taken group by tenant_id, day order by tenant_id, day`;
}

interface DaySum extends Record<CountedState, number> {
  readonly tenantId: string;
  readonly day: string;
  readonly ingested: number;
  readonly ingestedCertified: number;
  readonly sealed: number;
}

/** In the same transaction: each counts exactly once. */
export async function addToDays(tx: Tx, sums: readonly DaySum[]): Promise<void> {
  await tx.execute(
    `insert into daily_counters as d (tenant_id, day, ingested, ingested_certified, sent, deferred, bounced,
       complained, sealed)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::bigint[], $9::bigint[])
     on conflict (tenant_id, day) do update
        set ingested = d.ingested + excluded.ingested,
            ingested_certified = d.ingested_certified + excluded.ingested_certified,
            sent = d.sent + excluded.sent, deferred = d.deferred + excluded.deferred,
            bounced = d.bounced + excluded.bounced, complained = d.complained + excluded.complained,
            sealed = d.sealed + excluded.sealed`,
    [
      sums.map((sum) => sum.tenantId),
      sums.map((sum) => sum.day),
      sums.map((sum) => sum.ingested),
      sums.map((sum) => sum.ingestedCertified),
      sums.map((sum) => sum.sent),
      sums.map((sum) => sum.deferred),
      sums.map((sum) => sum.bounced),
      sums.map((sum) => sum.complained),
      sums.map((sum) => sum.sealed),
    ],
    'count_add_to_days',
  );
}
