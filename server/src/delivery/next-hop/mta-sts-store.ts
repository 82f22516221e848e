import type { CachedPolicy, MtaStsPolicy } from '@acuse/mail/routing/mta-sts';
import type { Queryable } from '../../platform/database/db.ts';

export async function findPolicy(db: Queryable, domain: string): Promise<CachedPolicy | null> {
  const [row] = await db.query<{ id: string; policy: MtaStsPolicy; fetched_at: Date }>(
    'select policy_id as id, policy, fetched_at from mta_sts_policies where domain = $1',
    [domain],
    'delivery_find_mta_sts_policy',
  );
  return row === undefined ? null : { id: row.id, policy: row.policy, fetchedAt: row.fetched_at };
}

/** Replaces an older policy; a newer one stays. */
export async function savePolicy(
  db: Queryable,
  domain: string,
  { id, policy, fetchedAt }: CachedPolicy,
  expiresAt: Date,
): Promise<void> {
  await db.execute(
    `insert into mta_sts_policies (domain, policy_id, policy, fetched_at, expires_at) values ($1, $2, $3, $4,
      $5)
     on conflict (domain) do update set policy_id = excluded.policy_id, policy = excluded.policy,
       fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
      where mta_sts_policies.fetched_at <= excluded.fetched_at`,
    [domain, id, JSON.stringify(policy), fetchedAt.toISOString(), expiresAt.toISOString()],
    'delivery_save_mta_sts_policy',
  );
}

export function deletePoliciesBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  return db.execute(
    `delete from mta_sts_policies where domain in (
       select domain from mta_sts_policies where expires_at < $1 order by expires_at limit $2)`,
    [before.toISOString(), limit],
    'delivery_delete_mta_sts_policies',
  );
}
