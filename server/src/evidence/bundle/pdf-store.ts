import type { Queryable, Tx } from '../../platform/database/db.ts';
import {
  STAMP_COLUMNS,
  type StampColumns,
  selectStamp,
  stampParameters,
  stampValues,
} from '../stamp/stamp-columns.ts';

/** The newest PDF of a message's evidence. */
export interface PdfStampRow extends StampColumns {
  readonly factsSha256: Uint8Array;
  readonly countedAt: Date;
}

export async function findPdfStamp(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<PdfStampRow | undefined> {
  const [row] = await q.query<PdfStampRow>(
    `select c.facts_sha256 as "factsSha256", c.counted_at as "countedAt", ${selectStamp('c')}
       from pdf_certificates c where c.tenant_id = $1 and c.message_id = $2`,
    [tenantId, messageId],
    'find_pdf_stamp',
  );
  return row;
}

export async function putPdfStamp(
  tx: Tx,
  row: PdfStampRow & { readonly tenantId: string; readonly messageId: string; readonly createdAt: Date },
): Promise<void> {
  const times = [row.countedAt.toISOString(), row.createdAt.toISOString()];
  await tx.execute(
    `insert into pdf_certificates
       (tenant_id, message_id, facts_sha256, counted_at, created_at, ${STAMP_COLUMNS})
     values ($1, $2, $3, $4, $5, ${stampParameters(6)})
     on conflict (tenant_id, message_id) do update
       set (facts_sha256, counted_at, created_at, ${STAMP_COLUMNS}) =
       row (excluded.facts_sha256, excluded.counted_at, excluded.created_at, ${EXCLUDED})`,
    [row.tenantId, row.messageId, row.factsSha256, ...times, ...stampValues(row)],
    'put_pdf_stamp',
  );
}

const EXCLUDED = STAMP_COLUMNS.split(', ')
  .map((name) => `excluded.${name}`)
  .join(', ');
