/** Names a message that waits. */
export interface QueueKey {
  readonly tenant_id: string;
  readonly message_id: string;
}

/**
 * Does `work` with the ids of each tenant, one after the other, and gives all rows of it: on several nodes a
 * statement locks the rows of one tenant alone (docs/decisions/0041).
 */
export async function ofEachTenant<Row>(
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
