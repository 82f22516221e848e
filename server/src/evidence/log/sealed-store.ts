import { changed } from '../../platform/database/rows.ts';
import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { secretContext } from './secret-context.ts';

interface Row {
  log_id: string;
  private_key_sealed: Uint8Array | null;
  mldsa44_seed_sealed: Uint8Array | null;
}

export const SEALED_LOGS: SealedTable = {
  table: 'logs',
  columns: ['private_key_sealed', 'mldsa44_seed_sealed'],
  as: 'worker',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select log_id, private_key_sealed, mldsa44_seed_sealed from logs
       where log_id > $1 order by log_id limit $2`,
      [...(after ?? [FIRST_ID]), limit],
    );
    return rows.map((row) => ({
      ids: [row.log_id],
      sealed: [row.private_key_sealed, row.mldsa44_seed_sealed],
      context: secretContext(row.log_id),
    }));
  },
  replace(tx, { ids, sealed: before }, sealed) {
    return changed(
      tx,
      `update logs set private_key_sealed = $2, mldsa44_seed_sealed = $3
       where log_id = $1
         and private_key_sealed is not distinct from $4 and mldsa44_seed_sealed is not distinct from $5`,
      [...ids, ...sealed, ...before],
    );
  },
};
