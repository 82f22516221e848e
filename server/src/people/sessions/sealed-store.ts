import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { FIRST_ID } from '../../platform/ids.ts';

interface Row {
  user_id: string;
  totp_sealed: Uint8Array | null;
  totp_pending_sealed: Uint8Array | null;
}

export const SEALED_USERS: SealedTable = {
  table: 'users',
  columns: ['totp_sealed', 'totp_pending_sealed'],
  as: 'sessions',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select user_id, totp_sealed, totp_pending_sealed from users
       where user_id > $1 order by user_id limit $2`,
      [...(after ?? [FIRST_ID]), limit],
    );
    return rows.map((row) => ({
      ids: [row.user_id],
      sealed: [row.totp_sealed, row.totp_pending_sealed],
      context: totpContext(row.user_id),
    }));
  },
  async replace(tx, { ids, sealed: before }, sealed) {
    const replaced = await tx.execute(
      `update users set totp_sealed = $2, totp_pending_sealed = $3
       where user_id = $1
         and totp_sealed is not distinct from $4
         and totp_pending_sealed is not distinct from $5`,
      [...ids, ...sealed, ...before],
    );
    return replaced === 1;
  },
};

/** The context that the secret of a person's authenticator app is sealed under. */
export function totpContext(userId: string): string {
  return `totp:${userId}`;
}
