import type { CopiedRows } from '../../platform/database/copy-out.ts';
import type { Copyable, Queryable } from '../../platform/database/db.ts';

/** Leaves with everything that must match them. */

export interface FsckContent {
  readonly raw: Uint8Array;
  readonly submission: Uint8Array;
}

export interface SealTold {
  readonly stampId: string | null;
  readonly sealedAt: string | null;
  readonly batchId: string | null;
  readonly merkleRoot: string | null;
  readonly occurredAt: Date | null;
}

interface AskedTold {
  readonly until: Date;
  readonly status: string;
  readonly source: string | null;
  readonly decidedAt: Date | null;
}

export interface FsckLeafRow {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly tenantId: string;
  readonly leafId: string;
  readonly messageId: string;
  readonly canonicalHash: Uint8Array;
  readonly kind: 'message' | 'delivery' | null;
  readonly contentHash: Uint8Array | null;
  readonly contentMessageId: string | null;
  readonly manifest: Uint8Array | null;
  readonly openings: Uint8Array | null;
  /** The previous leaf in the message's chain. */
  readonly previousHash: Uint8Array | null;
  readonly certified: boolean | null;
  readonly messageHash: Uint8Array | null;
  readonly tenantSequence: number | null;
  readonly createdAt: Date | null;
  readonly sentAt: Date | null;
  readonly bouncedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly complainedAt: Date | null;
  readonly asked: AskedTold | null;
  readonly reversePath: string | null;
  readonly recipientAddress: string | null;
  readonly headerFrom: string | null;
  readonly headerTo: string | null;
  readonly senderAddress: string | null;
  readonly subject: string | null;
  readonly sizeBytes: number | null;
  readonly tags: readonly string[] | null;
  readonly metadata: object | null;
  readonly templateId: string | null;
  /** Bytes of the request; null: the content is in no archive alone. */
  readonly archivedBytes: number | null;
  readonly contentBytes: number | null;
  readonly content: FsckContent | null;
  readonly pending: boolean;
  readonly sealed: boolean;
  readonly sealedEvents: number;
  readonly sealedTold: SealTold | null;
}

/** Content read together with its leaf (bytes). */
const SMALL_BYTES = 8 * 1024;

/**
 * Streams leaves unordered, without keeping them. One subselect per table forces key look-ups: joins would
 * scan the tables.
 */
export async function readLeavesToCheck(
  q: Copyable,
  logId: string,
  from: number,
  to: number,
  take: (leaf: FsckLeafRow) => void,
): Promise<void> {
  const rows = await q.copyOut(
    `select l.leaf_index, l.tree_size, l.tenant_id, l.leaf_id, l.message_id, l.canonical_hash,
            (select record_send(row(c.kind, c.canonical_hash, c.message_id, c.manifest, c.openings,
                      case when c.kind = 'delivery' then (
                        select p.canonical_hash from leaf_contents p
                         where p.tenant_id = l.tenant_id and p.message_id = l.message_id
                           and p.ordinal = c.ordinal - 1) end))
               from leaf_contents c where c.tenant_id = l.tenant_id and c.leaf_id = l.leaf_id),
            (select record_send(row(m.certified, m.canonical_hash, m.tenant_sequence, m.created_at, m.sent_at,
                      m.bounced_at, m.cancelled_at, m.complained_at, m.reverse_path, m.recipient_address,
                      m.header_from, m.header_to, m.sender_address, m.subject, m.size_bytes,
                      array_to_json(m.tags)::text, m.metadata::text, m.template_id,
                      m.archived_submission_bytes))
               from messages m where m.tenant_id = l.tenant_id and m.message_id = l.message_id),
            (select record_send(row(octet_length(b.raw) + octet_length(b.submission),
                      case when octet_length(b.raw) + octet_length(b.submission) <= $4 then b.raw end,
                      case when octet_length(b.raw) + octet_length(b.submission) <= $4 then b.submission end))
               from message_contents b where b.tenant_id = l.tenant_id and b.message_id = l.message_id),
            (select record_send(row(count(*), min(e.data->>'certificate_id'), min(e.data->>'sealed_at'),
                      min(e.data->>'batch_id'), min(e.data->>'merkle_root'), min(e.occurred_at)))
               from events e
              where e.tenant_id = l.tenant_id and e.message_id = l.message_id and e.type = 'email.sealed'),
            (select record_send(row(k.until, k.status, k.source, k.decided_at))
               from acknowledgements k where k.tenant_id = l.tenant_id and k.message_id = l.message_id),
            exists (select 1 from pending_leaves p where p.tenant_id = l.tenant_id and p.leaf_id = l.leaf_id),
            exists (select 1 from certificates t where t.log_id = l.log_id and t.tree_size = l.tree_size)
       from leaves l
      where l.log_id = $1 and l.leaf_index >= $2 and l.leaf_index < $3`,
    [logId, from, to, SMALL_BYTES],
  );
  while (rows.next()) take(leafOf(rows));
}

function leafOf(rows: CopiedRows): FsckLeafRow {
  return {
    leafIndex: rows.integer()!,
    treeSize: rows.integer()!,
    tenantId: rows.uuid()!,
    leafId: rows.uuid()!,
    messageId: rows.uuid()!,
    canonicalHash: rows.bytes()!,
    ...(rows.record(() => manifestOf(rows)) ?? NO_MANIFEST),
    ...(rows.record(() => messageOf(rows)) ?? NO_MESSAGE),
    ...(rows.record(() => contentOf(rows)) ?? NO_CONTENT),
    ...rows.record(() => sealedOf(rows))!,
    asked: rows.record(() => askedOf(rows)),
    pending: rows.boolean()!,
    sealed: rows.boolean()!,
  };
}

const NO_MANIFEST = {
  kind: null,
  contentHash: null,
  contentMessageId: null,
  manifest: null,
  openings: null,
  previousHash: null,
};

function manifestOf(rows: CopiedRows) {
  return {
    kind: rows.text() as 'message' | 'delivery',
    contentHash: rows.bytes(),
    contentMessageId: rows.uuid(),
    manifest: rows.bytes(),
    openings: rows.bytes(),
    previousHash: rows.bytes(),
  };
}

const NO_MESSAGE = {
  certified: null,
  messageHash: null,
  tenantSequence: null,
  createdAt: null,
  sentAt: null,
  bouncedAt: null,
  cancelledAt: null,
  complainedAt: null,
  reversePath: null,
  recipientAddress: null,
  headerFrom: null,
  headerTo: null,
  senderAddress: null,
  subject: null,
  sizeBytes: null,
  tags: null,
  metadata: null,
  templateId: null,
  archivedBytes: null,
};

function messageOf(rows: CopiedRows) {
  return {
    certified: rows.boolean(),
    messageHash: rows.bytes(),
    tenantSequence: rows.integer(),
    createdAt: rows.time(),
    sentAt: rows.time(),
    bouncedAt: rows.time(),
    cancelledAt: rows.time(),
    complainedAt: rows.time(),
    reversePath: rows.text(),
    recipientAddress: rows.text(),
    headerFrom: rows.text(),
    headerTo: rows.text(),
    senderAddress: rows.text(),
    subject: rows.text(),
    sizeBytes: rows.integer(),
    tags: JSON.parse(rows.text()!) as string[],
    metadata: JSON.parse(rows.text()!) as object,
    templateId: rows.uuid(),
    archivedBytes: rows.integer(),
  };
}

const NO_CONTENT = { contentBytes: null, content: null };

function contentOf(rows: CopiedRows) {
  const contentBytes = rows.integer();
  const [raw, submission] = [rows.bytes(), rows.bytes()];
  return { contentBytes, content: raw === null || submission === null ? null : { raw, submission } };
}

function sealedOf(rows: CopiedRows) {
  const sealedEvents = rows.integer()!;
  const [stampId, sealedAt, batchId, merkleRoot] = [rows.text(), rows.text(), rows.text(), rows.text()];
  const told: SealTold = { stampId, sealedAt, batchId, merkleRoot, occurredAt: rows.time() };
  return { sealedEvents, sealedTold: sealedEvents === 0 ? null : told };
}

function askedOf(rows: CopiedRows): AskedTold {
  const until = rows.time()!;
  return { until, status: rows.text()!, source: rows.text(), decidedAt: rows.time() };
}

export async function readIndexesFrom(q: Queryable, logId: string, from: number): Promise<number[]> {
  const rows = await q.query<{ leafIndex: number }>(
    'select leaf_index as "leafIndex" from leaves where log_id = $1 and leaf_index >= $2 order by leaf_index',
    [logId, from],
  );
  return rows.map(({ leafIndex }) => leafIndex);
}

interface FsckContentRow extends FsckContent {
  readonly messageId: string;
}

/** Contents too large for readLeavesToCheck. */
export async function readContentsToCheck(
  q: Queryable,
  messages: readonly { tenantId: string; messageId: string }[],
): Promise<FsckContentRow[]> {
  return q.query<FsckContentRow>(
    `select b.message_id as "messageId", b.raw, b.submission
       from unnest($1::uuid[], $2::uuid[]) as wanted (tenant_id, message_id)
       join message_contents b on b.tenant_id = wanted.tenant_id and b.message_id = wanted.message_id`,
    [messages.map((message) => message.tenantId), messages.map((message) => message.messageId)],
    'fsck_contents',
  );
}
