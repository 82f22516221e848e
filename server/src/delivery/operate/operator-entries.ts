import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import type { Tx } from '../../platform/database/db.ts';

/** The operator's bulk operations, in the accounts' audit logs. */
export interface ByOperator {
  readonly source: AuditSource;
  readonly at: Date;
  readonly destination?: string | null;
}

interface Touched {
  readonly tenantId: string;
  readonly messageId: string;
}

/** One entry per account and transaction: names a single message, or counts several. */
export async function appendOperatorEntries(
  tx: Tx,
  { source, at, destination = null }: ByOperator,
  done: 'retry' | 'cancel' | 'bounce',
  messages: readonly Touched[],
): Promise<void> {
  const accounts = new Map<string, string[]>();
  for (const { tenantId, messageId } of messages)
    accounts.set(tenantId, [...(accounts.get(tenantId) ?? []), messageId]);
  for (const [tenantId, ids] of accounts) {
    const after = { count: ids.length, ...(destination !== null && { destination }) };
    const entry =
      ids.length === 1
        ? { action: `${done}_message`, target: ids[0]! }
        : { action: `${done}_messages`, after };
    await appendAccountEvent(tx, tenantId, source, entry, at);
  }
}
