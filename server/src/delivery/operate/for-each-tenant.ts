export interface QueueKey {
  readonly tenant_id: string;
  readonly message_id: string;
}

/**
 * Runs `work` once per tenant: with Citus a statement can lock one tenant's rows only (docs/decisions/0041).
 */
export async function forEachTenant<Row>(
  picked: readonly QueueKey[],
  work: (tenantId: string, messageIds: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found = new Map<string, string[]>();
  for (const { tenant_id, message_id } of picked) {
    const ids = found.get(tenant_id);
    if (ids === undefined) found.set(tenant_id, [message_id]);
    else ids.push(message_id);
  }
  const rows: Row[] = [];
  for (const [tenantId, ids] of found) rows.push(...(await work(tenantId, ids)));
  return rows;
}
