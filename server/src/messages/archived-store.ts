import type { Queryable, Tx } from '../platform/database/db.ts';

/** Contents moved from the database to an archive, and the record of them. */

export interface ContentHashes {
  readonly messageId: string;
  readonly raw: Uint8Array;
  readonly submission: Uint8Array;
}

interface DroppedContent {
  readonly messageId: string;
  readonly bytes: number;
}

/** Drops only contents with exactly these bytes. */
export function dropContents(
  tx: Tx,
  tenantId: string,
  contents: readonly ContentHashes[],
): Promise<DroppedContent[]> {
  return tx.query<DroppedContent>(
    `with held as materialized (
       select message_id from messages
        where tenant_id = $1 and message_id = any ($2::uuid[]) and certified and erased_at is null
        order by message_id for update
     ), dropped as (
       delete from message_contents c
        using held h, unnest($2::uuid[], $3::bytea[], $4::bytea[]) as t (message_id, raw, submission)
        where c.tenant_id = $1 and c.message_id = h.message_id and t.message_id = h.message_id
          and sha256(c.raw) = t.raw and sha256(c.submission) = t.submission
       returning c.message_id, octet_length(c.raw) as raw_bytes,
         octet_length(c.submission) as submission_bytes
     )
     update messages m set archived_submission_bytes = d.submission_bytes
       from dropped d
      where m.tenant_id = $1 and m.message_id = d.message_id
     returning m.message_id as "messageId", d.raw_bytes + d.submission_bytes as bytes`,
    [
      tenantId,
      contents.map(({ messageId }) => messageId),
      contents.map(({ raw }) => Buffer.from(raw)),
      contents.map(({ submission }) => Buffer.from(submission)),
    ],
    'archive_drop_contents',
  );
}

interface StoredContents {
  readonly messages: number;
  readonly bytes: number;
}

/** Counts certified messages with these ids: `after` exclusive, `to` inclusive. */
export async function countStoredContents(
  q: Queryable,
  { tenantId, after, to }: { readonly tenantId: string; readonly after: string; readonly to: string },
): Promise<StoredContents> {
  const [row] = await q.query<StoredContents>(
    `select count(*)::integer as messages,
            coalesce(sum(octet_length(c.raw)::bigint + octet_length(c.submission)), 0)::double precision
              as bytes
       from message_contents c
       join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where c.tenant_id = $1 and c.message_id > $2 and c.message_id <= $3 and m.certified`,
    [tenantId, after, to],
    'archive_count_contents',
  );
  return row!;
}
