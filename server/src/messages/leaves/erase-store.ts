import type { Tx } from '../../platform/database/db.ts';

/** Columns whose words an erasure takes, by table (docs/decisions/0013). */
export const LEAF_CONTENT = { leaf_contents: ['openings'] } as const;

/** What opens the commitments of a message's leaves. The leaves, and the manifests, stay. */
export function eraseOpenings(tx: Tx, tenantId: string, messageId: string): void {
  tx.send('update leaf_contents set openings = null where tenant_id = $1 and message_id = $2', [
    tenantId,
    messageId,
  ]);
}
