import { plainArray } from '../platform/database/array-text.ts';
import type { Tx } from '../platform/database/db.ts';

/**
 * Counting into an account's days. Every writer of counters locks in the order of keys (tenant, then day), so
 * that none deadlocks.
 */

export interface Ingested {
  readonly tenantId: string;
  readonly createdAt: Date;
  readonly certified: boolean;
}

const DAY_MS = 86_400_000;

/** Counts what was accepted, without waiting for the answer. The hottest rows: call it last. */
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
  // In key order, see above.
  const ordered = [...counts.keys()].sort().map((key) => counts.get(key)!);
  tx.send(
    `insert into daily_counters (tenant_id, day, ingested, ingested_certified)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[])
     on conflict (tenant_id, day) do update
        set ingested = daily_counters.ingested + excluded.ingested,
            ingested_certified = daily_counters.ingested_certified + excluded.ingested_certified`,
    [
      plainArray(ordered.map((count) => count.tenantId)),
      plainArray(ordered.map((count) => count.day)),
      plainArray(ordered.map((count) => count.all)),
      plainArray(ordered.map((count) => count.certified)),
    ],
    'accept_count_ingested',
  );
}

export type CountedState = 'sent' | 'deferred' | 'bounced' | 'complained';

/** A message that first entered a state at a time. */
export interface FirstEntry {
  readonly tenantId: string;
  readonly state: CountedState;
  readonly at: Date;
}

/**
 * Counts messages into the UTC day on which they first entered a state. The hottest rows: call it last; locks
 * in key order, as all writers do.
 */
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
  const ordered = [...days.keys()].sort().map((key) => days.get(key)!);
  await tx.execute(
    `insert into daily_counters (tenant_id, day, sent, deferred, bounced, complained)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     on conflict (tenant_id, day) do update
        set sent = daily_counters.sent + excluded.sent, deferred = daily_counters.deferred +
          excluded.deferred,
            bounced = daily_counters.bounced + excluded.bounced,
             complained = daily_counters.complained + excluded.complained`,
    [
      ordered.map((count) => count.tenantId),
      ordered.map((count) => count.day),
      ordered.map((count) => count.sent),
      ordered.map((count) => count.deferred),
      ordered.map((count) => count.bounced),
      ordered.map((count) => count.complained),
    ],
    'delivery_count_entries',
  );
}

/** `counts` in the order of tenants, as every writer of counters takes their locks. */
export async function countSealed(
  tx: Tx,
  day: string,
  counts: readonly (readonly [tenantId: string, sealed: number])[],
): Promise<void> {
  await tx.execute(
    `insert into daily_counters (tenant_id, day, sealed)
     select n.tenant_id, $1::date, n.sealed from unnest($2::uuid[], $3::bigint[]) as n (tenant_id, sealed)
     on conflict (tenant_id, day) do update set sealed = daily_counters.sealed + excluded.sealed`,
    [day, counts.map(([tenantId]) => tenantId), counts.map(([, sealed]) => sealed)],
    'count_sealed',
  );
}
