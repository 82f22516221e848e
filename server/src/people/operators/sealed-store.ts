import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { FIRST_ID } from '../../platform/ids.ts';

interface Row {
  operator_id: string;
  totp_sealed: Uint8Array | null;
  totp_pending_sealed: Uint8Array | null;
}

export const SEALED_OPERATORS: SealedTable = {
  table: 'operators',
  columns: ['totp_sealed', 'totp_pending_sealed'],
  as: 'sessions',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select operator_id, totp_sealed, totp_pending_sealed from operators
       where operator_id > $1 order by operator_id limit $2`,
      [...(after ?? [FIRST_ID]), limit],
    );
    return rows.map((row) => ({
      ids: [row.operator_id],
      sealed: [row.totp_sealed, row.totp_pending_sealed],
      context: operatorTotpContext(row.operator_id),
    }));
  },
  async replace(tx, { ids, sealed: before }, sealed) {
    const replaced = await tx.execute(
      `update operators set totp_sealed = $2, totp_pending_sealed = $3
       where operator_id = $1
         and totp_sealed is not distinct from $4
         and totp_pending_sealed is not distinct from $5`,
      [...ids, ...sealed, ...before],
    );
    return replaced === 1;
  },
};

/** The context that the secret of an operator's authenticator app is sealed under. */
export function operatorTotpContext(operatorId: string): string {
  return `operator-totp:${operatorId}`;
}
