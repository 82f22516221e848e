import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { readInOrder } from '../platform/database/read-in-order.ts';
import { first } from '../platform/database/rows.ts';
import { readSliced } from '../platform/database/sliced-read.ts';
import type { CreatedRange, IdRange } from '../platform/http/created-query.ts';
import type { AcknowledgementOfRow, AcknowledgementStatus } from './acknowledgement-store.ts';
import { patternOf } from './search/words.ts';
import type { MessageStatus } from './status.ts';

/** sealed_at is the constancia's genTime. */
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
  bounce_type: BounceType | null;
  bounce_reason: BounceReason | null;
  last_reply: { code: number; enhanced: string | null; text: string; mx: string | null } | null;
  content_deleted_at: Date | null;
  /** An archive alone has the content; a message that was just accepted does without. */
  is_archived?: boolean;
  acknowledgement: AcknowledgementOfRow | null;
}

/** A subselect per row: in a join the planner may read all certificates. */
const SEAL = `from leaves l join certificates c on c.log_id = l.log_id and c.tree_size = l.tree_size
        where l.tenant_id = $1 and l.leaf_id = m.message_id`;

const MESSAGE_COLUMNS = `m.message_id, m.idempotency_key, m.header_from, m.header_to, m.subject,
  m.certified, m.status, m.template_id, m.tags, m.metadata,
       m.size_bytes, m.canonical_hash, m.created_at, m.send_at, m.queued_at, m.sent_at,
         m.deferred_at, m.bounced_at, m.cancelled_at, m.complained_at,
       (select c.gen_time ${SEAL}) as sealed_at,
       m.attempts, m.next_attempt_at, m.last_reply, m.reported_by_mail, m.bounce_type, m.bounce_reason,
       (select d.deleted_at from content_deletions d
         where d.tenant_id = $1 and d.message_id = m.message_id) as content_deleted_at,
       m.archived_submission_bytes is not null as is_archived,
       (select json_build_object('status', k.status, 'source', k.source, 'at', k.decided_at, 'until', k.until)
          from acknowledgements k where k.tenant_id = $1 and k.message_id = m.message_id) as acknowledgement`;

export function findMessage(db: Queryable, tenantId: string, messageId: string): Promise<MessageRow | null> {
  return first<MessageRow>(
    db,
    `select ${MESSAGE_COLUMNS} from messages m where m.tenant_id = $1 and m.message_id = $2`,
    [tenantId, messageId],
    'find_message',
  );
}

type ClaimRow = { message_id: string; submission_digest: Buffer };

export function findClaim(db: Queryable, tenantId: string, idempotencyKey: string): Promise<ClaimRow | null> {
  return first<ClaimRow>(
    db,
    'select message_id, submission_digest from idempotency_claims where tenant_id = $1 and idempotency_key = $2',
    [tenantId, idempotencyKey],
    'find_claim',
  );
}

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

/** In slices. Null: deleted. */
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

export interface SentBefore {
  header_to: string;
  status: MessageStatus;
  certified: boolean;
  template_id: string | null;
  template_version: number | null;
  tags: string[];
  metadata: Record<string, string>;
  asked: boolean;
}

export function findSentBefore(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<SentBefore | null> {
  return first<SentBefore>(
    db,
    `select header_to, status, certified, template_id, template_version, tags, metadata,
            exists (select 1 from acknowledgements k where k.tenant_id = $1 and k.message_id = $2) as asked
       from messages m where tenant_id = $1 and message_id = $2`,
    [tenantId, messageId],
    'find_sent_before',
  );
}

export interface ContentDeletion {
  /** `retention`: the record stays; `erasure`: the record is blank, too. */
  cause: 'retention' | 'erasure';
  deleted_at: Date;
}

/** Null: present, or missing without a record. */
export function findContentDeletion(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<ContentDeletion | null> {
  return first<ContentDeletion>(
    db,
    'select cause, deleted_at from content_deletions where tenant_id = $1 and message_id = $2',
    [tenantId, messageId],
    'find_content_deletion',
  );
}

/** An address, or a whole domain. */
export type WhoFilter =
  | { readonly address: string; readonly domain: null }
  | { readonly address: null; readonly domain: string };

export interface MessageFilter extends CreatedRange {
  readonly statuses: readonly MessageStatus[] | null;
  readonly certified: boolean | null;
  readonly sealed: boolean | null;
  readonly bounceTypes: readonly BounceType[] | null;
  readonly bounceReasons: readonly BounceReason[] | null;
  /** Reasons of bounces and deferrals. */
  readonly reasons: readonly BounceReason[] | null;
  readonly acknowledgements: readonly AcknowledgementStatus[] | null;
  readonly from: WhoFilter | null;
  readonly to: WhoFilter | null;
  readonly subject: string | null;
  readonly tag: string | null;
  readonly templateId: string | null;
  /** Without an index, which each send would pay for: found among the newest. */
  readonly apiKeyId: string | null;
  readonly metadataKey: string | null;
  readonly metadataValue: string | null;
  /** Each begins a word of the message (search/words.ts). Null: not asked for. */
  readonly words?: readonly string[] | null;
  /** Words are not looked for in the subject. */
  readonly closedSubject?: boolean;
}

/** Messages scanned per filtered page: some milliseconds. */
export const MESSAGES_SCANNED_MAX = 8_000;
/** Scattered rows: each may need its own block. */
export const SCATTERED_SCANNED_MAX = 2_000;
/** With a constancia filter: two look-ups per message. */
export const SEALS_SCANNED_MAX = 2_000;

export interface FoundMessages {
  readonly rows: MessageRow[];
  /** Last scanned message; null: complete. */
  readonly end: { readonly message_id: string; readonly created_at: Date } | null;
}

/**
 * A statement per filter combination: it reads the index of the rarest condition in list order, and filters
 * the rest. If the page is not full, it finds the end of the scan by index alone.
 */
export async function listMessages(
  tx: Tx,
  tenantId: string,
  range: IdRange,
  filter: MessageFilter,
  limit: number,
): Promise<FoundMessages> {
  const given: unknown[] = [tenantId, range.from, range.below];
  const give: Give = (value) => `$${given.push(value)}`;
  const wanted = conditions(filter, give);
  const where = sources(filter, give);
  const scanned = give(wanted.length === 0 ? limit : scannedMax(filter, where));
  const most = give(limit);
  readInOrder(tx);
  // Unnamed: planned with its values.
  const rows = await tx.query<MessageRow & { is_end: boolean }>(
    `with page as materialized (
       select ${MESSAGE_COLUMNS}, false as is_end from (${newestOf(where, '*', scanned)}) m
        where ${['true', ...wanted].join(' and ')} order by m.place desc limit ${most}
     )
     select * from page
     union all
     select ${MESSAGE_COLUMNS}, true
       from (select place from (${newestOf(where, 'message_id', scanned)}) s
              order by place desc offset ${scanned}::bigint - 1 limit 1) e
       join messages m on m.tenant_id = $1 and m.message_id = e.place
      where (select count(*) from page) < ${most} and ${wanted.length > 0}`,
    given,
  );
  return {
    rows: rows.filter((row) => !row.is_end),
    end: rows.find((row) => row.is_end) ?? null,
  };
}

function scannedMax({ sealed }: MessageFilter, where: readonly Source[]): number {
  const most = where.every((it) => it === NEWEST) ? MESSAGES_SCANNED_MAX : SCATTERED_SCANNED_MAX;
  return sealed === null ? most : Math.min(most, SEALS_SCANNED_MAX);
}

/** True if no condition but the time of acceptance has an index. */
export function readsNewest(filter: MessageFilter): boolean {
  return sources(filter, () => '').every((it) => it === NEWEST);
}

/** Messages with ids in these ranges, newest first; a range is a millisecond. */
export async function listMessagesAt(
  tx: Tx,
  tenantId: string,
  ranges: readonly IdRange[],
  filter: MessageFilter,
): Promise<MessageRow[]> {
  const given: unknown[] = [tenantId, ranges.map(({ from }) => from), ranges.map(({ below }) => below)];
  const wanted = conditions(filter, (value) => `$${given.push(value)}`);
  return tx.query<MessageRow>(
    `select ${MESSAGE_COLUMNS} from unnest($2::uuid[], $3::uuid[]) r (low, high)
      cross join lateral (select * from messages i
        where i.tenant_id = $1 and i.message_id >= r.low and i.message_id < r.high offset 0) m
      where ${['true', ...wanted].join(' and ')} order by m.message_id desc`,
    given,
  );
}

type Give = (value: unknown) => string;

function conditions(filter: MessageFilter, give: Give): string[] {
  const { statuses, certified, sealed, bounceTypes, bounceReasons, reasons } = filter;
  const { from, to, subject, tag, templateId, apiKeyId } = filter;
  const { acknowledgements, metadataKey, metadataValue, createdAfter, createdBefore } = filter;
  const found: string[] = [];
  const ask = <T>(value: T | null | undefined, condition: (given: T) => string) => {
    if (value !== null && value !== undefined) found.push(condition(value));
  };
  ask(statuses, (it) => `m.status = any (${give(it)}::text[])`);
  ask(bounceTypes, (it) => `m.bounce_type = any (${give(it)}::text[])`);
  // Deferrals have a reason, but no type.
  ask(bounceReasons, (it) => `m.bounce_type is not null and m.bounce_reason = any (${give(it)}::text[])`);
  ask(reasons, (it) => `m.bounce_reason = any (${give(it)}::text[])`);
  ask(acknowledgements, (it) => `${ASKED_STATUS} = any (${give(it)}::text[])`);
  ask(certified, (it) => `m.certified = ${give(it)}::boolean`);
  ask(from?.address, (it) => `lower(m.sender_address) = ${give(it)}`);
  ask(from?.domain, (it) => endsWith('lower(m.sender_address)', give(it)));
  ask(to?.address, (it) => `m.recipient_key = ${give(it)}`);
  ask(to?.domain, (it) => endsWith('m.recipient_key', give(it)));
  ask(tag, (it) => `${give(it)} = any (m.tags)`);
  ask(templateId, (it) => `m.template_id = ${give(it)}::uuid`);
  ask(apiKeyId, (it) => `m.api_key_id = ${give(it)}::uuid`);
  ask(createdAfter, (it) => `m.created_at >= ${give(it.toISOString())}::timestamptz`);
  ask(createdBefore, (it) => `m.created_at < ${give(it.toISOString())}::timestamptz`);
  ask(metadataKey, (it) => `m.metadata ? ${give(it)}`);
  if (metadataKey !== null) ask(metadataValue, (it) => `m.metadata ->> ${give(metadataKey)} = ${give(it)}`);
  ask(subject, (it) => `position(lower(${give(it)}) in lower(m.subject)) > 0`);
  for (const word of filter.words ?? []) found.push(mayHave(word, filter.closedSubject === true, give));
  // Most expensive last.
  ask(sealed, (it) => (it ? `m.certified and ${IS_SEALED}` : `not ${IS_SEALED}`));
  return found;
}

/** Finds more than `matches` does: search/search.ts checks each. */
function mayHave(word: string, closedSubject: boolean, give: Give): string {
  const begins = give(patternOf(word, false));
  const subject = closedSubject ? '' : `or m.subject ~ ${begins}`;
  return `(m.header_to ~ ${give(patternOf(word, true))} ${subject} or m.last_reply ->> 'text' ~ ${begins})`;
}

const ASKED_STATUS =
  '(select k.status from acknowledgements k where k.tenant_id = $1 and k.message_id = m.message_id)';

/** Per message: with `exists` the planner reads all constancias. */
const IS_SEALED = `coalesce((select true ${SEAL} limit 1), false)`;

const endsWith = (column: string, domain: string) =>
  `right(${column}, length(${domain}::text) + 1) = '@' || ${domain}::text`;

/** Rare final states: column ended_as. */
const ENDED: ReadonlySet<MessageStatus> = new Set(['bounced', 'complained', 'cancelled']);

/** A condition, or a table that has few of the messages. */
type Source =
  | { readonly condition: string }
  | { readonly of: 'delivery_queue' | 'scheduled_messages' }
  | { readonly of: 'acknowledgements'; readonly status: string };

const NEWEST: Source = { condition: '' };

/** Only these say why. */
const HAVE_REASONS: readonly MessageStatus[] = ['bounced', 'deferred'];

/** By the rarest condition, one source per value. */
function sources(filter: MessageFilter, give: Give): Source[] {
  const { to, templateId, bounceTypes, bounceReasons, reasons, acknowledgements } = filter;
  const statuses = filter.statuses ?? (reasons === null ? null : HAVE_REASONS);
  const where = (column: string) => (value: string) => ({ condition: `and ${column} = ${give(value)}` });
  if (typeof to?.address === 'string') return [where('recipient_key')(to.address)];
  if (templateId !== null) return [where('template_id')(templateId)];
  if (acknowledgements !== null) return [{ of: 'acknowledgements', status: give(acknowledgements) }];
  if (bounceTypes !== null) return [...new Set(bounceTypes)].map(where('bounce_type'));
  if (bounceReasons !== null) return [where('ended_as')('bounced')];
  // Most are sent: found among the newest.
  if (statuses === null || statuses.includes('sent')) return [NEWEST];
  const waits = (...states: MessageStatus[]) => states.some((it) => statuses.includes(it));
  return [
    ...[...new Set(statuses)].filter((it) => ENDED.has(it)).map(where('ended_as')),
    ...(waits('queued', 'deferred') ? [{ of: 'delivery_queue' } as const] : []),
    ...(waits('scheduled') ? [{ of: 'scheduled_messages' } as const] : []),
  ];
}

const RANGE = 'tenant_id = $1 and message_id >= $2 and message_id < $3';

/** `columns`: all, or only the id. */
function newestOf(found: readonly Source[], columns: '*' | 'message_id', most: string): string {
  const [only, ...others] = found.map((it) => newestOfOne(it, columns, most));
  if (others.length === 0) return only!;
  const all = [only, ...others].map((it) => `(${it})`).join(' union all ');
  return `select * from (${all}) u order by place desc limit ${most}`;
}

function newestOfOne(source: Source, columns: '*' | 'message_id', most: string): string {
  const place = columns === '*' ? '*, message_id as place' : 'message_id as place';
  if ('condition' in source)
    return `select ${place} from messages where ${RANGE} ${source.condition}
      order by message_id desc limit ${most}`;
  const placesWith = (more: string) => `select message_id as place${more} from ${source.of} where ${RANGE}
    order by message_id desc limit ${most}`;
  if (columns === 'message_id') return placesWith('');
  // The status is known before the message is read.
  const places =
    'status' in source
      ? `select place from (${placesWith(', status')}) k where k.status = any (${source.status}::text[])`
      : placesWith('');
  // In its order.
  return `select w.*, q.place from (${places}) q
    cross join lateral (select * from messages i where i.tenant_id = $1 and i.message_id = q.place offset 0) w
    order by q.place desc`;
}
