import type { Tx } from '../../platform/database/db.ts';

/** Columns that an erasure blanks, by table (docs/decisions/0013). */
export const LEAF_CONTENT = { leaf_contents: ['openings'] } as const;

/** Keeps leaves and manifests. */
export function eraseOpenings(tx: Tx, tenantId: string, messageId: string): void {
  tx.send('update leaf_contents set openings = null where tenant_id = $1 and message_id = $2', [
    tenantId,
    messageId,
  ]);
}
