import type { Queryable } from '../../platform/database/db.ts';
import type { Domain } from './store.ts';

interface TroubledDomain {
  readonly tenantId: string;
  readonly domainId: string;
  readonly name: string;
  readonly status: Domain['status'];
  readonly graceUntil: Date | null;
  readonly degradedSince: Date | null;
}

export function listTroubledDomains(db: Queryable, limit: number): Promise<TroubledDomain[]> {
  return db.query<TroubledDomain>(
    `select tenant_id as "tenantId", domain_id as "domainId", name, status, grace_until as "graceUntil",
       degraded_since as "degradedSince"
       from domains where status = 'failing' or grace_until is not null or degraded_since is not null
      order by grace_until nulls first, domain_id limit $1`,
    [limit],
  );
}

export async function countDegradedDomains(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: number }>(
    'select count(*)::integer as count from domains where degraded_since is not null',
  );
  return rows[0]!.count;
}
