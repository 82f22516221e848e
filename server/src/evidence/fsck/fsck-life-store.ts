import type { Queryable } from '../../platform/database/db.ts';

/** Status, attempts, events and outcomes must agree. */

const MAX_FINDINGS = 100;

export async function findOutcomesInNoLog(q: Queryable, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(
    `select c.message_id as id from leaf_contents c
      where c.tenant_id = $1 and c.kind = 'delivery'
        and not exists (select 1 from leaves l where l.tenant_id = $1 and l.leaf_id = c.leaf_id)
        and not exists (select 1 from pending_leaves p where p.tenant_id = $1 and p.leaf_id = c.leaf_id)
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}

interface LifeFault {
  readonly messageId: string;
  readonly faults: readonly string[];
}

/**
 * Messages whose record, attempts and events disagree: each outcome has its time, attempt and event. One
 * statement, for one snapshot; erased fields are skipped.
 */
export async function findLifeFaults(q: Queryable, tenantId: string): Promise<LifeFault[]> {
  return q.query<LifeFault>(
    `with told as (
       select message_id,
              count(*) filter (where type = 'email.queued') as queued,
                max(occurred_at) filter (where type = 'email.queued') as queued_at,
              count(*) filter (where type = 'email.sent') as sent,
                max(occurred_at) filter (where type = 'email.sent') as sent_at,
              count(*) filter (where type = 'email.bounced') as bounced,
                max(occurred_at) filter (where type = 'email.bounced') as bounced_at,
              count(*) filter (where type = 'email.complained') as complained,
                max(occurred_at) filter (where type = 'email.complained') as complained_at,
              count(*) filter (where type = 'email.cancelled') as cancelled,
                max(occurred_at) filter (where type = 'email.cancelled') as cancelled_at,
              count(*) filter (where type = 'email.deferred') as deferred,
              min(data->>'to') as first_to, max(data->>'to') as last_to,
              min(data->>'from') filter (where type = 'email.queued') as header_from,
              min(data->>'subject') filter (where type = 'email.queued') as subject
         from events where tenant_id = $1 and type <> 'email.sealed' group by message_id
     ), tried as (
       select message_id, count(*) as n, max(attempt) as last,
              max(finished_at) filter (where outcome = 'sent') as sent_at,
              max(finished_at) filter (where outcome = 'bounced') as bounced_at,
              max(finished_at) filter (where outcome = 'cancelled') as cancelled_at,
              count(*) filter (where outcome = 'deferred') as deferred,
              max(finished_at) filter (where outcome = 'deferred') as deferred_at
         from attempts where tenant_id = $1 group by message_id
     ), judged as (
       select m.message_id, array_remove(array[
         case when m.status <> case when m.complained_at is not null then 'complained'
                                    when m.bounced_at is not null then 'bounced'
                                    when m.cancelled_at is not null then 'cancelled'
                                    when m.sent_at is not null then 'sent' when m.deferred_at is not null then 'deferred'
                                    when m.send_at is not null and m.queued_at is null then 'scheduled' else 'queued' end
              then 'its status ' || m.status || ' is not what its times say' end,
         case when m.attempts <> coalesce(a.n, 0) or m.attempts <> coalesce(a.last, 0)
              then 'it counts ' || m.attempts || ' attempts, there are ' || coalesce(a.n, 0) end,
         case when a.sent_at is distinct from m.sent_at then 'sent_at is not when an attempt was taken' end,
         case when a.bounced_at is not null and a.bounced_at is distinct from m.bounced_at
                or a.bounced_at is null and m.bounced_at is not null and m.sent_at is null
              then 'bounced_at is not when an attempt was refused' end,
         case when a.cancelled_at is distinct from m.cancelled_at
              then 'cancelled_at is not when it was cancelled' end,
         case when m.cancelled_at is not null and num_nonnulls(m.sent_at, m.bounced_at, m.complained_at) > 0
              then 'it was cancelled, and sent or bounced' end,
         case when a.deferred_at is distinct from m.deferred_at
              then 'deferred_at is not when an attempt was deferred' end,
         case when e.queued_at is distinct from m.queued_at or e.queued > 1
              then 'email.queued was not recorded once, at queued_at' end,
         case when (m.status = 'scheduled') <> exists (select 1 from scheduled_messages s
                where s.tenant_id = m.tenant_id and s.message_id = m.message_id)
              then 'it is scheduled and on no schedule, or the other way round' end,
         case when e.sent_at is distinct from m.sent_at or e.sent > 1
              then 'email.sent was not recorded once, at sent_at' end,
         case when e.bounced_at is distinct from m.bounced_at or e.bounced > 1
              then 'email.bounced was not recorded once, at bounced_at' end,
         case when e.cancelled_at is distinct from m.cancelled_at or e.cancelled > 1
              then 'email.cancelled was not listed once, at cancelled_at' end,
         case when e.complained_at is distinct from m.complained_at or e.complained > 1
              then 'email.complained was not recorded once, at complained_at' end,
         case when coalesce(e.deferred, 0) <> coalesce(a.deferred, 0)
              then 'email.deferred was not told of each deferred attempt' end,
         case when m.erased_at is null and (e.first_to <> m.header_to or e.last_to <> m.header_to)
              then 'its events name another recipient' end,
         case when m.erased_at is null and (e.header_from <> m.header_from or e.subject <> m.subject)
              then 'its events name another sender or subject' end
       ], null) as faults
         from messages m
         left join told e using (message_id)
         left join tried a using (message_id)
        where m.tenant_id = $1
     )
     select message_id as "messageId", faults from judged where faults <> '{}' order by message_id limit
       ${MAX_FINDINGS}`,
    [tenantId],
    'fsck_lives',
  );
}

/** Idempotency keys of another or a missing message. */
export async function findWrongClaims(q: Queryable, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(
    `select c.message_id as id from idempotency_claims c
       left join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where c.tenant_id = $1 and m.idempotency_key is distinct from c.idempotency_key
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
  return rows.map((row) => row.id);
}

interface BeyondRow {
  readonly what: string;
  readonly treeSize: number;
}

/**
 * Stamps, cosignatures, renewals or queue rows for a size without a checkpoint, or tiles beyond `size`: the
 * log was longer.
 */
export async function findBeyond(q: Queryable, logId: string): Promise<BeyondRow[]> {
  return q.query<BeyondRow>(
    `with seen as (
       select 'constancia' as what, tree_size from certificates where log_id = $1
       union select 'cosignature', tree_size from cosignatures where log_id = $1
       union select 'renewal', tree_size from renewals where log_id = $1
       union select 'place in line for a constancia', tree_size from stamp_queue where log_id = $1
     )
     select what, tree_size as "treeSize" from seen
      where not exists (select 1 from checkpoints c where c.log_id = $1 and c.tree_size = seen.tree_size)
     union all
     select 'tile', max(tile_index * 256 + length(hashes) / 32) from log_tiles
      where log_id = $1 and level = 0
     having max(tile_index * 256 + length(hashes) / 32)
            > greatest((select tree_size from logs where log_id = $1),
                       (select max(tree_size) from checkpoints where log_id = $1))
      order by 2, 1 limit ${MAX_FINDINGS}`,
    [logId],
  );
}

export interface SealRow {
  readonly treeSize: number;
  readonly stampId: string;
  readonly genTime: Date;
  readonly stampedAt: Date;
  readonly batchId: string;
  readonly rootHash: Uint8Array;
  readonly signedAt: Date;
}

export async function readSealsToCheck(
  q: Queryable,
  logId: string,
  treeSizes: readonly number[],
): Promise<SealRow[]> {
  return q.query<SealRow>(
    `select t.tree_size as "treeSize", t.certificate_id as "stampId", t.gen_time as "genTime",
            t.created_at as "stampedAt", c.batch_id as "batchId", c.root_hash as "rootHash",
            c.created_at as "signedAt"
       from certificates t join checkpoints c on c.log_id = t.log_id and c.tree_size = t.tree_size
      where t.log_id = $1 and t.tree_size = any ($2::bigint[])`,
    [logId, treeSizes],
    'fsck_seals',
  );
}

/** Undefined: the first leaf's message is missing. */
export async function findFirstSandbox(q: Queryable, logId: string): Promise<boolean | undefined> {
  const [row] = await q.query<{ sandbox: boolean }>(
    `select m.sandbox from leaves l
       join messages m
         on m.tenant_id = l.tenant_id and m.message_id = l.message_id and m.message_id = l.leaf_id
      where l.log_id = $1 and l.leaf_index = 0`,
    [logId],
    'fsck_first_sandbox',
  );
  return row?.sandbox;
}
