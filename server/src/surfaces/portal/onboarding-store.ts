import type { Queryable } from '../../platform/database/db.ts';

export interface Steps {
  readonly sent: boolean;
  readonly sealed: boolean;
  readonly verified: boolean;
  readonly domain: boolean;
  readonly webhook: boolean;
}

/** One index look-up per step. */
export async function readSteps(q: Queryable, tenantId: string): Promise<Steps> {
  const [row] = await q.query<Steps>(
    `select exists (select 1 from messages where tenant_id = $1) as sent,
       exists (select 1 from leaves l join certificates c on c.log_id = l.log_id and c.tree_size = l.tree_size
                where l.tenant_id = $1) as sealed,
       exists (select 1 from verification_log where tenant_id = $1) as verified,
       exists (select 1 from domains where tenant_id = $1 and verified_at is not null) as domain,
       exists (select 1 from webhook_endpoints where tenant_id = $1) as webhook`,
    [tenantId],
    'read_onboarding_steps',
  );
  return row!;
}
