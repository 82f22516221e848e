import { type AuditSource, appendAccountEvent } from '../../accounts/audit/append.ts';
import type { Tx } from '../../platform/database/db.ts';

/** What an operator does with messages that wait, in the audit logs of the accounts that they are of. */
export interface ByOperator {
  readonly source: AuditSource;
  readonly at: Date;
  /** Of many at once: the destination that was named, if one was. */
  readonly destination?: string | null;
}

export interface Touched {
  readonly tenantId: string;
  readonly messageId: string;
}

/**
 * An entry for each account, in the transaction of what was done: it names a message that is alone, and
 * counts several. Each slice of a bulk operation is a transaction, and so an entry, of its own.
 */
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
