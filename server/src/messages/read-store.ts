import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { BounceType } from '@acuse/mail/reply/reasons';
import type { Queryable } from '../platform/database/db.ts';
import { readSliced } from '../platform/database/sliced-read.ts';
import type { CreatedRange, IdRange } from '../platform/http/created-query.ts';
import type { RecordedType } from '../webhooks/event.ts';
import type { MessageStatus } from './status.ts';

/** A message as stored, with what is derived from its leaf: sealed_at is the constancia's genTime. */
export interface MessageRow {
  message_id: string;
  idempotency_key: string;
  header_from: string;
  header_to: string;
  subject: string;
  certified: boolean;
  status: MessageStatus;
  template_id: string | null;
  tags: string[];
  metadata: Record<string, string>;
  size_bytes: number;
  canonical_hash: Uint8Array | null;
  created_at: Date;
  send_at: Date | null;
  queued_at: Date | null;
  sent_at: Date | null;
  deferred_at: Date | null;
  bounced_at: Date | null;
  cancelled_at: Date | null;
  complained_at: Date | null;
  sealed_at: Date | null;
  attempts: number;
  next_attempt_at: Date | null;
  reported_by_mail: MailReportFacts | null;
  last_reply: { code: number; enhanced: string | null; text: string; mx: string | null } | null;
  content_deleted_at: Date | null;
}

/**
 * Asked for row by row, not joined: beside the cost of a scan the planner takes any way to join a handful of
 * rows for as good as another, and reads all certificates for each.
 */
const SEAL = `from leaves l join certificates c on c.log_id = l.log_id and c.tree_size = l.tree_size
        where l.tenant_id = m.tenant_id and l.leaf_id = m.message_id`;

const MESSAGE_COLUMNS = `m.message_id, m.idempotency_key, m.header_from, m.header_to, m.subject,
  m.certified, m.status, m.template_id, m.tags, m.metadata,
       m.size_bytes, m.canonical_hash, m.created_at, m.send_at, m.queued_at, m.sent_at,
         m.deferred_at, m.bounced_at, m.cancelled_at, m.complained_at,
       (select c.gen_time ${SEAL}) as sealed_at,
       m.attempts, m.next_attempt_at, m.last_reply, m.reported_by_mail,
       (select d.deleted_at from content_deletions d
         where d.tenant_id = m.tenant_id and d.message_id = m.message_id) as content_deleted_at`;

export async function findMessage(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<MessageRow | null> {
  const rows = await db.query<MessageRow>(
    `select ${MESSAGE_COLUMNS} from messages m where m.tenant_id = $1 and m.message_id = $2`,
    [tenantId, messageId],
    'find_message',
  );
  return rows[0] ?? null;
}

export interface ClaimRow {
  message_id: string;
  submission_digest: Buffer;
}

export async function findClaim(
  db: Queryable,
  tenantId: string,
  idempotencyKey: string,
): Promise<ClaimRow | null> {
  const rows = await db.query<ClaimRow>(
    'select message_id, submission_digest from idempotency_claims where tenant_id = $1 and idempotency_key = $2',
    [tenantId, idempotencyKey],
    'find_claim',
  );
  return rows[0] ?? null;
}

/** The messages of a request with several recipients, by the place of each one's recipient in it. */
export function listCopies(
  db: Queryable,
  tenantId: string,
  firstMessageId: string,
): Promise<{ position: number; message_id: string }[]> {
  return db.query(
    'select position, message_id from message_copies where tenant_id = $1 and first_message_id = $2',
    [tenantId, firstMessageId],
    'list_copies',
  );
}

export async function findRaw(db: Queryable, tenantId: string, messageId: string): Promise<Buffer | null> {
  const [row] = await db.query<{ size: number }>(
    'select octet_length(raw) as size from message_contents where tenant_id = $1 and message_id = $2',
    [tenantId, messageId],
    'find_raw_size',
  );
  return row === undefined ? null : readRaw(db, tenantId, messageId, row.size);
}

/** A slice at a time. Null when it is gone, or goes meanwhile. */
export async function readRaw(
  db: Queryable,
  tenantId: string,
  messageId: string,
  sizeBytes: number,
): Promise<Buffer | null> {
  return readSliced(sizeBytes, async (from, count) => {
    const [row] = await db.query<{ slice: Buffer }>(
      `select substring(raw from $3::integer for $4::integer) as slice
         from message_contents where tenant_id = $1 and message_id = $2`,
      [tenantId, messageId, from, count],
      'read_raw_slice',
    );
    return row?.slice ?? null;
  });
}

/** What sending a message again takes, in addition to its content. */
export interface SentBefore {
  header_to: string;
  status: MessageStatus;
  certified: boolean;
  template_id: string | null;
  template_version: number | null;
  tags: string[];
  metadata: Record<string, string>;
}

export async function findSentBefore(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<SentBefore | null> {
  const rows = await db.query<SentBefore>(
    `select header_to, status, certified, template_id, template_version, tags, metadata
       from messages where tenant_id = $1 and message_id = $2`,
    [tenantId, messageId],
    'find_sent_before',
  );
  return rows[0] ?? null;
}

/** That a message's content was deleted, and was meant to be. */
export interface ContentDeletion {
  /**
   * `retention`: its days were over, the record stays as it is. `erasure`: somebody asked for it, and the
   * record is blank too.
   */
  cause: 'retention' | 'erasure';
  deleted_at: Date;
}

/** Null: it is there, or gone without a word. */
export async function findContentDeletion(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<ContentDeletion | null> {
  const rows = await db.query<ContentDeletion>(
    'select cause, deleted_at from content_deletions where tenant_id = $1 and message_id = $2',
    [tenantId, messageId],
    'find_content_deletion',
  );
  return rows[0] ?? null;
}

export interface EventRow {
  event_id: string;
  type: RecordedType;
  occurred_at: Date;
  data: Record<string, unknown>;
}

/** A message's events in the order in which they happened. */
export function listEvents(
  db: Queryable,
  tenantId: string,
  messageId: string,
  after: string | null,
  limit: number,
): Promise<EventRow[]> {
  return db.query<EventRow>(
    `select event_id, type, occurred_at, data from events
      where tenant_id = $1 and message_id = $2 and ($3::uuid is null or event_id > $3) order by event_id limit
        $4`,
    [tenantId, messageId, after, limit],
    'list_events',
  );
}

/** An address as compared, or a domain for all of its addresses. */
export type WhoFilter =
  | { readonly address: string; readonly domain: null }
  | { readonly address: null; readonly domain: string };

/** What is null is not asked for. */
export interface MessageFilter extends CreatedRange {
  readonly statuses: readonly MessageStatus[] | null;
  readonly certified: boolean | null;
  readonly sealed: boolean | null;
  readonly bounceTypes: readonly BounceType[] | null;
  readonly from: WhoFilter | null;
  readonly to: WhoFilter | null;
  readonly subject: string | null;
  readonly tag: string | null;
  readonly templateId: string | null;
  readonly metadataKey: string | null;
  readonly metadataValue: string | null;
}

/**
 * Messages that a page of a filtered list looks at: with 10 000 a page takes some 20 ms at most, however rare
 * what it looks for is. One recipient's messages have an index and are as many by themselves.
 */
export const MESSAGES_SCANNED_MAX = 10_000;

/** The last of the messages that a page with a filter may look at; null when there are no more than that. */
export async function findScanEnd(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  recipient: string | null,
): Promise<{ message_id: string; created_at: Date } | null> {
  const rows =
    recipient === null
      ? await db.query<{ message_id: string; created_at: Date }>(
          `select message_id, created_at from messages
            where tenant_id = $1 and message_id >= $2 and message_id < $3
            order by message_id desc offset $4 limit 1`,
          [tenantId, range.from, range.below, MESSAGES_SCANNED_MAX - 1],
          'find_scan_end',
        )
      : await db.query<{ message_id: string; created_at: Date }>(
          `select message_id, created_at from messages
            where tenant_id = $1 and message_id >= $2 and message_id < $3 and recipient_key = $5
            order by message_id desc offset $4 limit 1`,
          [tenantId, range.from, range.below, MESSAGES_SCANNED_MAX - 1, recipient],
          'find_scan_end_of_recipient',
        );
  return rows[0] ?? null;
}

const FILTERED = `select ${MESSAGE_COLUMNS} from messages m
      where m.tenant_id = $1 and m.message_id >= $2 and m.message_id < $3
        and ($5::text[] is null or m.status = any ($5)) and ($6::boolean is null or m.certified = $6)
        and ($7::boolean is null or exists (select ${SEAL}) = $7)
        and ($8::text[] is null or m.bounced_at is not null and exists (
          select 1 from events e where e.tenant_id = m.tenant_id and e.message_id = m.message_id
            and e.type = 'email.bounced' and e.data ->> 'bounce_type' = any ($8)))
        and ($9::text is null or lower(m.sender_address) = $9)
        and ($10::text is null or right(lower(m.sender_address), length($10) + 1) = '@' || $10)
        and ($11::text is null or right(m.recipient_key, length($11) + 1) = '@' || $11)
        and ($12::text is null or position(lower($12) in lower(m.subject)) > 0)
        and ($13::text is null or $13 = any (m.tags)) and ($14::uuid is null or m.template_id = $14)
        and ($15::text is null or m.metadata ? $15) and ($16::text is null or m.metadata ->> $15 = $16)
        and ($17::timestamptz is null or m.created_at >= $17)
        and ($18::timestamptz is null or m.created_at < $18)`;

/** Newest first. */
export function listMessages(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  filter: MessageFilter,
  limit: number,
): Promise<MessageRow[]> {
  const given = [
    ...[tenantId, range.from, range.below, limit, filter.statuses, filter.certified, filter.sealed],
    ...[filter.bounceTypes, filter.from?.address ?? null, filter.from?.domain ?? null],
    ...[filter.to?.domain ?? null, filter.subject, filter.tag, filter.templateId],
    ...[filter.metadataKey, filter.metadataValue],
    ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
  ];
  const recipient = filter.to?.address;
  if (recipient === undefined || recipient === null)
    return db.query<MessageRow>(`${FILTERED} order by m.message_id desc limit $4`, given, 'list_messages');
  return db.query<MessageRow>(
    `${FILTERED} and m.recipient_key = $19 order by m.message_id desc limit $4`,
    [...given, recipient],
    'list_messages_of_recipient',
  );
}
