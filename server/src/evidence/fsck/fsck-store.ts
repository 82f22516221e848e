import type { Json } from '@acuse/evidence/jcs';
import type { Queryable } from '../../platform/database/db.ts';
import { OUTCOME_ATTEMPT, type OutcomeAttempt } from '../bundle/outcome-columns.ts';
import type { SecondKeyColumns } from '../log/second-key-store.ts';
import { type StampColumns, selectStamp } from '../stamp/stamp-columns.ts';

/** Pages of the log with all that must match, and one statement per tally. */

export interface LogName {
  readonly logId: string;
  readonly origin: string;
}

export interface FsckLogRow extends LogName, Omit<SecondKeyColumns, 'mldsa44SeedSealed'> {
  readonly publicKey: Uint8Array;
  readonly treeSize: number;
  readonly createdAt: Date;
  /** The part shown to outsiders. */
  readonly publishedSize: number;
  readonly sandbox: boolean;
  readonly checkpointSize: number;
}

export async function readLogsToCheck(q: Queryable): Promise<FsckLogRow[]> {
  return q.query<FsckLogRow>(
    `select log_id as "logId", origin, public_key as "publicKey", tree_size as "treeSize",
            created_at as "createdAt", sandbox,
            published_size as "publishedSize", mldsa44_public_key as "mldsa44PublicKey",
            mldsa44_from as "mldsa44From",
            coalesce((select max(c.tree_size) from checkpoints c where c.log_id = l.log_id), 0)
              as "checkpointSize"
       from logs l
      order by log_id`,
  );
}

export interface OutcomeToRead {
  readonly tenantId: string;
  readonly leafId: string;
  readonly messageId: string;
  readonly attempt: number;
}

/** Sessions and time are null without an attempt. */
export interface FsckOutcomeRow extends Omit<OutcomeAttempt, 'sessions' | 'finishedAt'> {
  readonly leafId: string;
  readonly sessions: Json | null;
  readonly finishedAt: Date | null;
  readonly outcome: string | null;
  readonly reply: { code: number | null; enhanced: string | null; text: string; mx: string | null } | null;
  readonly reports:
    | readonly {
        readonly action: string;
        readonly report: string;
        readonly byMail: unknown;
        readonly createdAt: string;
      }[]
    | null;
  readonly reportedByMail: unknown;
  /** The content that our own report quotes is only in an archive. */
  readonly isArchived: boolean;
}

/** One row per leaf; reports in hex. */
export async function readOutcomesToCheck(
  q: Queryable,
  outcomes: readonly OutcomeToRead[],
): Promise<FsckOutcomeRow[]> {
  const wanted = [outcomes.map((outcome) => outcome.tenantId), outcomes.map((outcome) => outcome.leafId)];
  const messageIds = outcomes.map((outcome) => outcome.messageId);
  const rows = await q.query<Omit<FsckOutcomeRow, 'reports'>>(
    `select w.leaf_id as "leafId", ${OUTCOME_ATTEMPT}, a.outcome, a.reply,
            m.reported_by_mail as "reportedByMail",
            m.archived_submission_bytes is not null as "isArchived"
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[])
         as w (tenant_id, leaf_id, message_id, attempt)
       join leaf_contents o on o.tenant_id = w.tenant_id and o.leaf_id = w.leaf_id
       left join messages m on m.tenant_id = o.tenant_id and m.message_id = w.message_id
       left join message_contents c on c.tenant_id = o.tenant_id and c.message_id = w.message_id
       left join attempts a on a.tenant_id = o.tenant_id and a.message_id = w.message_id
        and a.attempt = w.attempt`,
    [...wanted, messageIds, outcomes.map((outcome) => outcome.attempt)],
    'fsck_outcomes',
  );
  const reports = await q.query<Pick<FsckOutcomeRow, 'leafId' | 'reports'>>(
    `select w.leaf_id as "leafId", 
            json_agg(json_build_object('action', r.action, 'report', encode(r.report, 'hex'),
                                       'byMail', r.reported_by_mail, 'createdAt', r.created_at)) as reports
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as w (tenant_id, leaf_id, message_id)
       join delivery_reports r on r.tenant_id = w.tenant_id and r.message_id = w.message_id
      group by w.leaf_id`,
    [...wanted, messageIds],
    'fsck_outcome_reports',
  );
  const reportsOf = new Map(reports.map((row) => [row.leafId, row.reports]));
  return rows.map((row) => ({ ...row, reports: reportsOf.get(row.leafId) ?? null }));
}

export interface FsckCheckpointRow {
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly rootHash: Uint8Array;
  readonly note: string;
  readonly queued: boolean;
  /** False: signed but not in the anchor, as after a crash; the next batch publishes it. */
  readonly isPublished: boolean;
  readonly createdAt: Date;
  readonly stampedAt: Date | null;
  readonly cosignatures:
    | readonly { readonly key: string; readonly line: string; readonly unixSeconds: number }[]
    | null;
  readonly stamp: StampColumns | null;
  readonly renewals: number;
  /** Recorded end of its newest chain; null: not computed. */
  readonly coveredUntil: Date | null;
}

export async function readCheckpointsToCheck(
  q: Queryable,
  logId: string,
  after: number,
  limit: number,
): Promise<FsckCheckpointRow[]> {
  const rows = await q.query<FsckCheckpointRow & StampColumns & { stamped: boolean }>(
    `select c.tree_size as "treeSize", c.previous_tree_size as "previousTreeSize", c.root_hash as "rootHash", c.note,
            c.created_at as "createdAt", t.created_at as "stampedAt",
            exists (select 1 from stamp_queue s where s.log_id = c.log_id and s.tree_size = c.tree_size)
              as queued,
            c.tree_size <= (select l.published_size from logs l where l.log_id = c.log_id) as "isPublished",
            (select json_agg(json_build_object('key', w.witness_key, 'line', w.line,
                      'unixSeconds', extract(epoch from w.witnessed_at))) from cosignatures w
              where w.log_id = c.log_id and w.tree_size = c.tree_size) as cosignatures,
            t.tree_size is not null as stamped, ${selectStamp('t')},
            case when isfinite(t.covered_until) then t.covered_until end as "coveredUntil",
            (select count(*) from renewals r where r.log_id = c.log_id and r.tree_size = c.tree_size)
              as renewals
       from checkpoints c
       left join certificates t on t.log_id = c.log_id and t.tree_size = c.tree_size
      where c.log_id = $1 and c.tree_size > $2
      order by c.tree_size
      limit $3`,
    [logId, after, limit],
    'fsck_checkpoints',
  );
  return rows.map((row) => ({ ...row, stamp: row.stamped ? row : null }));
}

export interface FsckMessageStampRow extends StampColumns {
  readonly messageId: string;
  readonly messageHash: Uint8Array | null;
}

export async function readMessageStampsToCheck(
  q: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<FsckMessageStampRow[]> {
  return q.query<FsckMessageStampRow>(
    `select c.message_id as "messageId", m.canonical_hash as "messageHash", ${selectStamp('c')}
       from message_certificates c
       left join messages m on m.tenant_id = c.tenant_id and m.message_id = c.message_id
      where c.tenant_id = $1 and ($2::uuid is null or c.message_id > $2)
      order by c.message_id
      limit $3`,
    [tenantId, after, limit],
    'fsck_message_stamps',
  );
}

/** Their imprints are of PDFs that are not stored. */
export async function readPdfStampsToCheck(
  q: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<(StampColumns & { readonly messageId: string })[]> {
  return q.query<StampColumns & { readonly messageId: string }>(
    `select c.message_id as "messageId", ${selectStamp('c')}
       from pdf_certificates c
      where c.tenant_id = $1 and ($2::uuid is null or c.message_id > $2)
      order by c.message_id
      limit $3`,
    [tenantId, after, limit],
    'fsck_pdf_stamps',
  );
}

export async function readTenantIds(q: Queryable): Promise<string[]> {
  const rows = await q.query<{ tenantId: string }>(
    'select tenant_id as "tenantId" from tenants order by tenant_id',
  );
  return rows.map((row) => row.tenantId);
}

/** Findings per kind and tenant. */
const MAX_FINDINGS = 100;

interface SequenceFault {
  readonly sequence: number;
  readonly next: number | null;
}

export async function findSequenceFaults(q: Queryable, tenantId: string): Promise<SequenceFault[]> {
  return q.query<SequenceFault>(
    `with given as (
       select tenant_sequence as n from messages where tenant_id = $1 and certified
       union all select 0
       union all select last_sequence + 1 from tenant_sequences where tenant_id = $1
     ), followed as (select n, lead(n) over (order by n) as next from given)
     select n as sequence, next from followed
      where next <> n + 1
         or (next is null and n > 0 and not exists (select 1 from tenant_sequences where tenant_id = $1))
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
}

export async function findCertifiedWithoutLeaf(q: Queryable, tenantId: string): Promise<string[]> {
  return ids(
    q,
    `select m.message_id as id from messages m
      where m.tenant_id = $1 and m.certified
        and not exists (select 1 from leaves l where l.tenant_id = $1 and l.leaf_id = m.message_id)
        and not exists (select 1 from pending_leaves p where p.tenant_id = $1 and p.leaf_id = m.message_id)
      limit ${MAX_FINDINGS}`,
    tenantId,
  );
}

/**
 * Certified messages without exactly one leaf per outcome. A requested acknowledgement has an outcome too,
 * unless it ended in silence: the message was never sent, or its content was deleted. A `displayed` is judged
 * with its report.
 */
export async function findOutcomesWithoutLeaf(q: Queryable, tenantId: string): Promise<string[]> {
  return ids(
    q,
    `with outcomes as (
       select message_id, count(*) as n from leaf_contents where tenant_id = $1 and kind = 'delivery'
        group by message_id
     ), asked as (
       select a.message_id,
              (a.status in ('acknowledged', 'refused')
                or (a.status = 'unanswered' and m.sent_at is not null
                    and (m.erased_at is null or m.erased_at > a.decided_at)))::integer
                + (select count(*) from leaf_contents c
                    where c.tenant_id = $1 and c.message_id = a.message_id and c.kind = 'delivery'
                      and position('"kind":"displayed"' in convert_from(c.manifest, 'UTF8')) > 0) as n
         from acknowledgements a
         join messages m on m.tenant_id = a.tenant_id and m.message_id = a.message_id
        where a.tenant_id = $1
     )
     select m.message_id as id from messages m
       left join outcomes o on o.message_id = m.message_id
       left join asked a on a.message_id = m.message_id
      where m.tenant_id = $1 and m.certified
        and num_nonnulls(m.sent_at, m.bounced_at, m.cancelled_at, m.complained_at) + coalesce(a.n, 0)
          <> coalesce(o.n, 0)
      limit ${MAX_FINDINGS}`,
    tenantId,
  );
}

export async function findPlainWithLeaf(q: Queryable, tenantId: string): Promise<string[]> {
  return ids(
    q,
    `select m.message_id as id from messages m
      where m.tenant_id = $1 and not m.certified
        and exists (select 1 from leaf_contents c where c.tenant_id = $1 and c.message_id = m.message_id)
      limit ${MAX_FINDINGS}`,
    tenantId,
  );
}

/** Pending leaves that do not match their content. */
export async function findWrongPending(q: Queryable, tenantId: string): Promise<string[]> {
  return ids(
    q,
    `select p.leaf_id as id from pending_leaves p
       left join leaf_contents c on c.tenant_id = p.tenant_id and c.leaf_id = p.leaf_id
      where p.tenant_id = $1
        and (c.leaf_id is null or c.message_id <> p.message_id or c.canonical_hash <> p.canonical_hash
             or c.canonical_hash <> sha256(c.manifest))
      limit ${MAX_FINDINGS}`,
    tenantId,
  );
}

async function ids(q: Queryable, statement: string, tenantId: string): Promise<string[]> {
  const rows = await q.query<{ id: string }>(statement, [tenantId]);
  return rows.map((row) => row.id);
}

interface CounterFault {
  readonly day: string;
  readonly name: 'ingested' | 'ingested_certified' | 'sealed';
  readonly counted: number;
  readonly found: number;
}

/** Days whose counters differ from the rows, deleted ones included. One statement, for one snapshot. */
export async function findCounterFaults(q: Queryable, tenantId: string): Promise<CounterFault[]> {
  return q.query<CounterFault>(
    `with accepted as (
       select day, sum(n) as n, sum(certified) as certified
         from (select (created_at at time zone 'UTC')::date as day, count(*) as n,
                      count(*) filter (where certified) as certified
                 from messages where tenant_id = $1 group by 1
               union all select day, records, 0 from deleted_records where tenant_id = $1) a group by 1
     ), found as (
       select day, 'ingested' as name, n from accepted
       union all
       select day, 'ingested_certified', certified from accepted
       union all
       select (t.gen_time at time zone 'UTC')::date, 'sealed', count(*)
         from leaves l
         join leaf_contents c on c.tenant_id = l.tenant_id and c.leaf_id = l.leaf_id and c.kind = 'message'
         join certificates t on t.log_id = l.log_id and t.tree_size = l.tree_size
        where l.tenant_id = $1 group by 1
     ), counted as (
       select d.day, v.name, sum(v.n)::bigint as n
         from (select * from daily_counters where tenant_id = $1
               union all select * from counter_additions where tenant_id = $1) d,
              lateral (values ('ingested', d.ingested), ('ingested_certified', d.ingested_certified),
                ('sealed', d.sealed)) as v (name, n)
        group by 1, 2
     )
     select day, name, coalesce(counted.n, 0) as counted, coalesce(found.n, 0) as found
       from counted full join found using (day, name)
      where coalesce(counted.n, 0) <> coalesce(found.n, 0)
      order by day, name
      limit ${MAX_FINDINGS}`,
    [tenantId],
  );
}
