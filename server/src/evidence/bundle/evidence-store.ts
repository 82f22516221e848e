import type { Queryable } from '../../platform/database/db.ts';
import { readSliced } from '../../platform/database/sliced-read.ts';
import { cosignedNote } from '../log/cosigned-note.ts';
import { type StampColumns, selectStamp } from '../stamp/stamp-columns.ts';
import { OUTCOME_ATTEMPT, type OutcomeAttempt } from './outcome-columns.ts';

/** A leaf that is stored but not in the anchor is not shown. */
const IS_PUBLISHED = 'l.tree_size <= (select g.published_size from logs g where g.log_id = l.log_id)';

export interface MessageProofRow {
  readonly certified: boolean;
  readonly reversePath: string;
  readonly recipientAddress: string;
  readonly logId: string | null;
  readonly leafIndex: number | null;
  readonly treeSize: number | null;
  readonly canonicalHash: Uint8Array | null;
  readonly batchId: string | null;
  readonly rootHash: Uint8Array | null;
  readonly note: string | null;
}

export async function findMessageProof(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageProofRow | undefined> {
  const [row] = await q.query<MessageProofRow>(
    `select m.certified, m.reverse_path as "reversePath", m.recipient_address as "recipientAddress",
      l.log_id as "logId", l.leaf_index as "leafIndex",
            l.tree_size as "treeSize", l.canonical_hash as "canonicalHash", p.batch_id as "batchId",
            p.root_hash as "rootHash", ${cosignedNote('p')} as note
       from messages m
       left join leaf_contents c on c.tenant_id = m.tenant_id and c.message_id = m.message_id and c.kind =
         'message'
       left join leaves l on l.tenant_id = c.tenant_id and l.leaf_id = c.leaf_id and ${IS_PUBLISHED}
       left join checkpoints p on p.log_id = l.log_id and p.tree_size = l.tree_size
      where m.tenant_id = $1 and m.message_id = $2`,
    [tenantId, messageId],
    'find_message_proof',
  );
  return row;
}

export interface StampRow extends StampColumns {
  readonly stampId: string;
  readonly logId: string;
  readonly treeSize: number;
  /** End of the first certificate in its newest chain; null: not computed. */
  readonly coveredUntil: Date | null;
}

export async function findStamp(
  q: Queryable,
  logId: string,
  treeSize: number,
): Promise<StampRow | undefined> {
  const [row] = await q.query<StampRow>(
    `select c.certificate_id as "stampId", c.log_id as "logId", c.tree_size as "treeSize",
            case when isfinite(c.covered_until) then c.covered_until end as "coveredUntil",
              ${selectStamp('c')}
       from certificates c where c.log_id = $1 and c.tree_size = $2`,
    [logId, treeSize],
    'find_stamp',
  );
  return row;
}

/** A message's leaves in chain order; without place and seal, null. */
export interface MessageLeafRow {
  readonly kind: 'message' | 'delivery';
  readonly canonicalHash: Uint8Array;
  readonly manifest: Uint8Array;
  readonly openings: Uint8Array | null;
  readonly logId: string | null;
  readonly leafIndex: number | null;
  readonly treeSize: number | null;
  readonly note: string | null;
  readonly publishedAt: Date | null;
  readonly sealedAt: Date | null;
}

/** Bounds memory: outcomes are few. */
const MAX_LEAVES_PER_MESSAGE = 256;

export async function readMessageLeaves(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageLeafRow[]> {
  return q.query<MessageLeafRow>(
    `select c.kind, c.canonical_hash as "canonicalHash", c.manifest, c.openings, l.log_id as "logId",
            l.leaf_index as "leafIndex", l.tree_size as "treeSize", ${cosignedNote('p')} as note,
              p.created_at as "publishedAt", t.gen_time as "sealedAt"
       from leaf_contents c
       left join leaves l on l.tenant_id = c.tenant_id and l.leaf_id = c.leaf_id and ${IS_PUBLISHED}
       left join checkpoints p on p.log_id = l.log_id and p.tree_size = l.tree_size
       left join certificates t on t.log_id = l.log_id and t.tree_size = l.tree_size
      where c.tenant_id = $1 and c.message_id = $2
      order by c.ordinal
      limit ${MAX_LEAVES_PER_MESSAGE}`,
    [tenantId, messageId],
    'read_message_leaves',
  );
}

interface PublishedMessage {
  readonly tenantId: string;
  readonly messageId: string;
  readonly logId: string;
  readonly manifest: Uint8Array;
}

/** Any account's message with this entry, once published. */
export async function findPublishedMessage(
  q: Queryable,
  canonicalHash: Uint8Array,
): Promise<PublishedMessage | undefined> {
  const [row] = await q.query<PublishedMessage>(
    `select c.tenant_id as "tenantId", c.message_id as "messageId", l.log_id as "logId", c.manifest
       from leaves l
       join leaf_contents c on c.tenant_id = l.tenant_id and c.leaf_id = l.leaf_id and c.kind = 'message'
      where l.canonical_hash = $1 and ${IS_PUBLISHED}`,
    [canonicalHash],
    'find_published_message',
  );
  return row;
}

export interface MessageContentRow {
  readonly raw: Uint8Array;
  readonly submission: Uint8Array;
}

interface MessageContentSizes {
  readonly rawBytes: number;
  readonly submissionBytes: number;
}

interface FoundSizes {
  readonly sizes: MessageContentSizes | undefined;
  /** In an archive alone. */
  readonly archived: boolean;
}

/** In the database, or in an archive. */
export async function findContentSizes(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<FoundSizes> {
  const stored = await findStoredSizes(q, tenantId, messageId);
  if (stored !== undefined) return { sizes: stored, archived: false };
  const [sizes] = await q.query<MessageContentSizes>(
    `select size_bytes as "rawBytes", archived_submission_bytes as "submissionBytes"
       from messages where tenant_id = $1 and message_id = $2 and archived_submission_bytes is not null`,
    [tenantId, messageId],
    'find_archived_sizes',
  );
  return { sizes, archived: sizes !== undefined };
}

async function findStoredSizes(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageContentSizes | undefined> {
  const [row] = await q.query<MessageContentSizes>(
    `select octet_length(raw) as "rawBytes", octet_length(submission) as "submissionBytes"
       from message_contents where tenant_id = $1 and message_id = $2`,
    [tenantId, messageId],
    'find_content_sizes',
  );
  return row;
}

/** Undefined: deleted, before or during the read, or in an archive. */
export async function findMessageContent(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageContentRow | undefined> {
  const sizes = await findStoredSizes(q, tenantId, messageId);
  if (sizes === undefined) return undefined;
  const read = (column: 'raw' | 'submission', sizeBytes: number) =>
    readSliced(sizeBytes, (from, count) => readContentSlice(q, { tenantId, messageId, column, from, count }));
  const raw = await read('raw', sizes.rawBytes);
  const submission = raw && (await read('submission', sizes.submissionBytes));
  return raw === null || submission === null ? undefined : { raw, submission };
}

interface ContentSlice {
  readonly tenantId: string;
  readonly messageId: string;
  readonly column: 'raw' | 'submission';
  readonly from: number;
  readonly count: number;
}

async function readContentSlice(q: Queryable, slice: ContentSlice): Promise<Uint8Array | null> {
  const { tenantId, messageId, column, from, count } = slice;
  const [row] = await q.query<{ slice: Uint8Array }>(
    `select substring(${column} from $3::integer for $4::integer) as slice
       from message_contents where tenant_id = $1 and message_id = $2`,
    [tenantId, messageId, from, count],
    `evidence_read_${column}_slice`,
  );
  return row?.slice ?? null;
}

export interface OutcomeRows {
  readonly attempts: readonly (OutcomeAttempt & { readonly attempt: number })[];
  readonly reports: readonly { readonly action: string; readonly report: Uint8Array }[];
}

export async function readOutcomeRows(
  q: Queryable,
  tenantId: string,
  messageId: string,
  attempts: readonly number[],
): Promise<OutcomeRows> {
  const [tried, reports] = await Promise.all([
    q.query<OutcomeRows['attempts'][number]>(
      `select a.attempt, ${OUTCOME_ATTEMPT}
         from attempts a join messages m using (tenant_id, message_id)
         left join message_contents c using (tenant_id, message_id)
        where a.tenant_id = $1 and a.message_id = $2 and a.attempt = any ($3::integer[])`,
      [tenantId, messageId, attempts],
      'read_outcome_attempts',
    ),
    q.query<OutcomeRows['reports'][number]>(
      'select action, report from delivery_reports where tenant_id = $1 and message_id = $2',
      [tenantId, messageId],
      'read_outcome_reports',
    ),
  ]);
  return { attempts: tried, reports };
}
