import type { Queryable } from '../../platform/database/db.ts';
import type { Commitment } from '../archive/archived-content.ts';
import type { ShownColumns } from './fsck-columns.ts';

/** Messages whose content an archive alone has, with what must match it. */

export interface ArchivedToCheck extends Commitment, Omit<ShownColumns, 'recipientAddress'> {
  readonly archivedBytes: number;
}

/** With these ids: `after` exclusive, `to` inclusive. */
export function readArchivedToCheck(
  q: Queryable,
  { tenantId, after, to }: { readonly tenantId: string; readonly after: string; readonly to: string },
): Promise<ArchivedToCheck[]> {
  return q.query<ArchivedToCheck>(
    `select m.message_id as "messageId", c.canonical_hash as "canonicalHash", c.manifest, c.openings,
            m.reverse_path as "reversePath", m.recipient_address as "recipientAddress",
            m.archived_submission_bytes as "archivedBytes", m.size_bytes as "sizeBytes", m.subject, m.tags,
            m.metadata, m.template_id as "templateId", m.header_from as "headerFrom",
            m.header_to as "headerTo", m.sender_address as "senderAddress"
       from messages m
       join leaf_contents c on c.tenant_id = m.tenant_id and c.message_id = m.message_id and c.ordinal = 0
      where m.tenant_id = $1 and m.message_id > $2 and m.message_id <= $3
        and m.archived_submission_bytes is not null
      order by m.message_id`,
    [tenantId, after, to],
    'fsck_archived',
  );
}
