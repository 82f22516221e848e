import { changed } from '../../platform/database/rows.ts';
import type { SealedTable } from '../../platform/database/sealed-table.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { dkimKeyContext } from './dkim-keys.ts';

interface Row {
  tenant_id: string;
  dkim_key_id: string;
  private_key_sealed: Uint8Array | null;
}

export const SEALED_DKIM_KEYS: SealedTable = {
  table: 'dkim_keys',
  columns: ['private_key_sealed'],
  as: 'worker',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select tenant_id, dkim_key_id, private_key_sealed from dkim_keys
       where (tenant_id, dkim_key_id) > ($1, $2) order by tenant_id, dkim_key_id limit $3`,
      [...(after ?? [FIRST_ID, FIRST_ID]), limit],
    );
    return rows.map((row) => ({
      ids: [row.tenant_id, row.dkim_key_id],
      sealed: [row.private_key_sealed],
      context: dkimKeyContext(row.tenant_id, row.dkim_key_id),
    }));
  },
  replace(tx, { ids, sealed: before }, sealed) {
    return changed(
      tx,
      `update dkim_keys set private_key_sealed = $3
       where tenant_id = $1 and dkim_key_id = $2
         and private_key_sealed is not distinct from $4`,
      [...ids, ...sealed, ...before],
    );
  },
};
