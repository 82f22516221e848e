import type { Queryable } from '../../platform/database/db.ts';

/** Distinguishes intended deletion from missing content. */

export async function readErased(
  q: Queryable,
  messages: readonly { tenantId: string; messageId: string }[],
): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  const rows = await q.query<{ message_id: string }>(
    `select d.message_id from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, message_id)
       join content_deletions d on d.tenant_id = w.tenant_id and d.message_id = w.message_id and d.cause =
         'erasure'`,
    [messages.map(({ tenantId }) => tenantId), messages.map(({ messageId }) => messageId)],
    'fsck_erased',
  );
  return new Set(rows.map((row) => row.message_id));
}

const MAX_FINDINGS = 100;

/** Missing content without a record, of messages in no log. Sequenced ones are checked leaf by leaf. */
export async function findVanishedContent(q: Queryable, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(
    `select m.message_id as id from messages m
      where m.tenant_id = $1
        and not exists (select 1 from message_contents c where c.tenant_id = $1 and c.message_id =
          m.message_id)
        and not exists (select 1 from content_deletions d where d.tenant_id = $1 and d.message_id =
          m.message_id)
        and not exists (select 1 from leaves l where l.tenant_id = $1 and l.leaf_id = m.message_id)
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}

/** Content recorded as deleted that is still there, or an erasure that left data. */
export async function findUndeletedContent(q: Queryable, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(
    `select d.message_id as id from content_deletions d
      where d.tenant_id = $1
        and (exists (select 1 from message_contents c where c.tenant_id = $1 and c.message_id = d.message_id)
             or d.cause = 'erasure'
                and (exists (select 1 from leaf_contents l where l.tenant_id = $1 and l.message_id =
                  d.message_id and l.openings is not null)
                     or exists (select 1 from delivery_reports r where r.tenant_id = $1 and r.message_id =
                       d.message_id)
                     or exists (select 1 from attempts a where a.tenant_id = $1 and a.message_id =
                       d.message_id and a.report is not null)
                     or exists (select 1 from messages m where m.tenant_id = $1 and m.message_id =
                       d.message_id and m.erased_at is null)))
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}

/** Certified messages recorded as deleted by retention, which must never delete any. */
export async function findCertifiedRetention(q: Queryable, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(
    `select d.message_id as id from content_deletions d
       join messages m on m.tenant_id = d.tenant_id and m.message_id = d.message_id
      where d.tenant_id = $1 and d.cause = 'retention' and m.certified limit ${MAX_FINDINGS}`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}
