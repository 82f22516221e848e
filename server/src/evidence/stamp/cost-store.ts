import type { Queryable, Tx } from '../../platform/database/db.ts';

type CostKind = 'batch' | 'message' | 'renewal';

export interface Cost {
  readonly tenantId: string;
  readonly month: string;
  readonly kind: CostKind;
  readonly authority: string;
  readonly items: number;
  readonly costMicros: number;
}

export async function countLeavesByTenant(
  q: Queryable,
  logId: string,
  from: number,
  to: number,
): Promise<[tenantId: string, leaves: number][]> {
  const rows = await q.query<{ tenantId: string; leaves: number }>(
    `select tenant_id as "tenantId", count(*) as leaves from leaves
      where log_id = $1 and leaf_index >= $2 and leaf_index < $3
      group by tenant_id order by tenant_id`,
    [logId, from, to],
    'count_leaves_by_tenant',
  );
  return rows.map(({ tenantId, leaves }) => [tenantId, leaves]);
}

/** Locks in key order. */
export async function addCosts(tx: Tx, costs: readonly Cost[]): Promise<void> {
  const key = (cost: Cost) => `${cost.tenantId} ${cost.month} ${cost.kind} ${cost.authority}`;
  const ordered = [...costs].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  await tx.execute(
    `insert into sealing_costs as c (tenant_id, month, kind, authority, items, cost_micros)
     select * from unnest($1::uuid[], $2::date[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
     on conflict (tenant_id, month, kind, authority) do update
        set items = c.items + excluded.items, cost_micros = c.cost_micros + excluded.cost_micros`,
    [
      ordered.map((cost) => cost.tenantId),
      ordered.map((cost) => cost.month),
      ordered.map((cost) => cost.kind),
      ordered.map((cost) => cost.authority),
      ordered.map((cost) => cost.items),
      ordered.map((cost) => cost.costMicros),
    ],
    'add_sealing_costs',
  );
}

export async function readCosts(q: Queryable, month: string, tenantId: string | null): Promise<Cost[]> {
  return q.query<Cost>(
    `select tenant_id as "tenantId", month, kind, authority, items, cost_micros as "costMicros" from sealing_costs
      where month = $1 and ($2::uuid is null or tenant_id = $2)
      order by tenant_id, kind, authority`,
    [month, tenantId],
  );
}
