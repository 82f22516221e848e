import type { Queryable, Tx } from '../../platform/database/db.ts';

export async function isKeyValid(q: Queryable, tenantId: string, apiKeyId: string): Promise<boolean> {
  const rows = await q.query(
    'select from api_keys where tenant_id = $1 and api_key_id = $2 and revoked_at is null',
    [tenantId, apiKeyId],
  );
  return rows.length > 0;
}

export async function findStatus(q: Queryable, tenantId: string): Promise<string | null> {
  const [row] = await q.query<{ status: string }>('select status from tenants where tenant_id = $1', [
    tenantId,
  ]);
  return row?.status ?? null;
}

export async function findSuppressionId(
  q: Queryable,
  tenantId: string,
  address: string,
): Promise<string | null> {
  const [row] = await q.query<{ suppression_id: string }>(
    'select suppression_id from suppressions where tenant_id = $1 and address = $2',
    [tenantId, address],
  );
  return row?.suppression_id ?? null;
}

export async function isGloballySuppressed(q: Queryable, address: string): Promise<boolean> {
  const rows = await q.query('select from global_suppressions where address = $1', [address]);
  return rows.length > 0;
}

export async function listKeysSince(q: Queryable, tenantId: string, fromId: string): Promise<string[]> {
  const rows = await q.query<{ idempotency_key: string }>(
    'select idempotency_key from messages where tenant_id = $1 and message_id >= $2',
    [tenantId, fromId],
  );
  return rows.map((row) => row.idempotency_key);
}

export async function findErasable(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<string | null> {
  const [row] = await q.query<{ status: string }>(
    'select status from messages where tenant_id = $1 and message_id = $2 and erased_at is null',
    [tenantId, messageId],
  );
  return row?.status ?? null;
}

/** As acuse_sessions. Null: no member. */
export async function findMemberRole(tx: Tx, tenantId: string, userId: string): Promise<string | null> {
  const [row] = await tx.query<{ role: string }>(
    'select role from members where tenant_id = $1 and user_id = $2',
    [tenantId, userId],
  );
  return row?.role ?? null;
}

export async function findOperatorRole(tx: Tx, operatorId: string): Promise<string | null> {
  const [row] = await tx.query<{ role: string }>('select role from operators where operator_id = $1', [
    operatorId,
  ]);
  return row?.role ?? null;
}
