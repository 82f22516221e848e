import type { Tx } from '../../platform/database/db.ts';

export interface AccountPolicy {
  readonly requireSecondFactor: boolean;
}

export async function findPolicy(tx: Tx, tenantId: string): Promise<AccountPolicy> {
  const rows = await tx.query<AccountPolicy>(
    'select require_second_factor as "requireSecondFactor" from account_settings where tenant_id = $1',
    [tenantId],
  );
  return rows[0] ?? { requireSecondFactor: false };
}

export async function putPolicy(tx: Tx, tenantId: string, policy: AccountPolicy): Promise<void> {
  await tx.execute(
    `insert into account_settings (tenant_id, require_second_factor) values ($1, $2)
     on conflict (tenant_id) do update set require_second_factor = excluded.require_second_factor`,
    [tenantId, policy.requireSecondFactor],
  );
}
