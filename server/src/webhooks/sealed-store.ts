import { changed } from '../platform/database/rows.ts';
import type { SealedTable } from '../platform/database/sealed-table.ts';
import { FIRST_ID } from '../platform/ids.ts';
import { endpointSecretContext } from './secrets.ts';

interface Row {
  tenant_id: string;
  webhook_id: string;
  secret_sealed: Uint8Array | null;
  previous_secret_sealed: Uint8Array | null;
}

export const SEALED_ENDPOINTS: SealedTable = {
  table: 'webhook_endpoints',
  columns: ['secret_sealed', 'previous_secret_sealed'],
  as: 'worker',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select tenant_id, webhook_id, secret_sealed, previous_secret_sealed from webhook_endpoints
       where (tenant_id, webhook_id) > ($1, $2) order by tenant_id, webhook_id limit $3`,
      [...(after ?? [FIRST_ID, FIRST_ID]), limit],
    );
    return rows.map((row) => ({
      ids: [row.tenant_id, row.webhook_id],
      sealed: [row.secret_sealed, row.previous_secret_sealed],
      context: endpointSecretContext(row.tenant_id, row.webhook_id),
    }));
  },
  replace(tx, { ids, sealed: before }, sealed) {
    return changed(
      tx,
      `update webhook_endpoints set secret_sealed = $3, previous_secret_sealed = $4
       where tenant_id = $1 and webhook_id = $2
         and secret_sealed is not distinct from $5
         and previous_secret_sealed is not distinct from $6`,
      [...ids, ...sealed, ...before],
    );
  },
};
