import type { Tx } from '../../platform/database/db.ts';

/** Addresses that refused an account's invitations. */

export async function insertRefusal(
  tx: Tx,
  tenantId: string,
  recipientSha256: Uint8Array,
  at: Date,
): Promise<void> {
  await tx.execute(
    `insert into invitation_refusals (tenant_id, recipient_sha256, refused_at) values ($1, $2, $3)
     on conflict do nothing`,
    [tenantId, recipientSha256, at],
  );
}

export async function isRefused(tx: Tx, tenantId: string, recipientSha256: Uint8Array): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from invitation_refusals where tenant_id = $1 and recipient_sha256 = $2',
    [tenantId, recipientSha256],
  );
  return rows.length > 0;
}

/** Time of the `count`th refusal from the last; null if there are fewer. */
export async function refusalBefore(tx: Tx, tenantId: string, count: number): Promise<Date | null> {
  const rows = await tx.query<{ at: Date }>(
    `select refused_at as at from invitation_refusals where tenant_id = $1
     order by refused_at desc offset $2 limit 1`,
    [tenantId, count - 1],
  );
  return rows[0]?.at ?? null;
}
