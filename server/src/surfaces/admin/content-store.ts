import type { Queryable, Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';

/** Messages that operators opened: who, why, and until when. Rows are only added. */
export interface Opening {
  readonly openingId: string;
  readonly operatorId: string;
  readonly tenantId: string;
  readonly messageId: string;
  readonly reason: string;
  readonly openedAt: Date;
  readonly expiresAt: Date;
}

export async function insertOpening(tx: Tx, opening: Opening): Promise<void> {
  await tx.execute(
    `insert into content_openings (opening_id, operator_id, tenant_id, message_id, reason, opened_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      opening.openingId,
      opening.operatorId,
      opening.tenantId,
      opening.messageId,
      opening.reason,
      opening.openedAt,
      opening.expiresAt,
    ],
  );
}

/** The opening that this operator has now; null: none. */
export function findOpening(
  db: Queryable,
  operatorId: string,
  messageId: string,
  now: Date,
): Promise<Pick<Opening, 'tenantId' | 'expiresAt'> | null> {
  return first<Pick<Opening, 'tenantId' | 'expiresAt'>>(
    db,
    `select tenant_id as "tenantId", expires_at as "expiresAt" from content_openings
      where message_id = $1 and operator_id = $2 and expires_at > $3 order by expires_at desc limit 1`,
    [messageId, operatorId, now],
  );
}
