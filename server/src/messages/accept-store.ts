import type { SuppressionList } from '../accounts/suppressions/refusal.ts';
import { isAlwaysSuppressed } from '../accounts/suppressions/sandbox-addresses.ts';
import { Blob } from '../platform/blob.ts';
import { jsonArray, plainArray, textArray, timeArray } from '../platform/database/array-text.ts';
import type { Tx } from '../platform/database/db.ts';
import { ofThese } from '../platform/database/of-these.ts';
import { rowColumns } from '../platform/database/row-columns.ts';
import type { MessageColumns } from './leaves/chain-store.ts';
import type { AcceptedRow, PreparedMessage } from './prepared.ts';

/**
 * Statements of the grouped commit. Each takes the whole group as arrays, and bytes as one blob that the
 * statement cuts up. Write-only ones are pipelined.
 */

/** Returns the ids with a new claim. Waits for a concurrent claim, then loses to it. */
export async function claimKeys(tx: Tx, group: readonly PreparedMessage[]): Promise<Set<string>> {
  const digests = new Blob(group.map((item) => item.submissionDigest));
  const rows = await tx.query<{ message_id: string }>(
    `insert into idempotency_claims (tenant_id, idempotency_key, message_id, submission_digest)
     select t.tenant_id, t.idempotency_key, t.message_id, substring($4::bytea from t.at for 32)
       from unnest($1::uuid[], $2::text[], $3::uuid[], $5::integer[]) as t (tenant_id, idempotency_key,
         message_id, at)
     on conflict (tenant_id, idempotency_key) do nothing
     returning message_id`,
    [
      plainArray(group.map((item) => item.tenantId)),
      textArray(group.map((item) => item.idempotencyKey)),
      plainArray(group.map((item) => item.messageId)),
      digests.bytes,
      plainArray(digests.from),
    ],
    'accept_claim_keys',
  );
  return new Set(rows.map((row) => row.message_id));
}

/** Releases claims of refused messages, so that a corrected send may reuse the key. */
export function releaseKeys(tx: Tx, group: readonly PreparedMessage[]): void {
  tx.send(
    `delete from idempotency_claims c using unnest($1::uuid[], $2::text[]) as t (tenant_id, idempotency_key)
      where c.tenant_id = t.tenant_id${ofThese(tx, 'c.tenant_id')} and c.idempotency_key = t.idempotency_key`,
    [plainArray(group.map((item) => item.tenantId)), textArray(group.map((item) => item.idempotencyKey))],
    'accept_release_keys',
  );
}

/** Moves claims from first recipients that were skipped. */
export function moveClaims(tx: Tx, group: readonly PreparedMessage[]): void {
  tx.send(
    `update idempotency_claims c set message_id = t.message_id
       from unnest($1::uuid[], $2::text[], $3::uuid[]) as t (tenant_id, idempotency_key, message_id)
      where c.tenant_id = t.tenant_id${ofThese(tx, 'c.tenant_id')} and c.idempotency_key = t.idempotency_key`,
    [
      plainArray(group.map((item) => item.tenantId)),
      textArray(group.map((item) => item.idempotencyKey)),
      plainArray(group.map((item) => item.messageId)),
    ],
    'accept_move_claims',
  );
}

export interface CopyRow {
  readonly tenantId: string;
  readonly firstMessageId: string;
  readonly position: number;
  readonly messageId: string;
}

export function insertCopies(tx: Tx, rows: readonly CopyRow[]): void {
  tx.send(
    `insert into message_copies (tenant_id, first_message_id, position, message_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::uuid[])
     returning null`,
    [
      plainArray(rows.map((row) => row.tenantId)),
      plainArray(rows.map((row) => row.firstMessageId)),
      plainArray(rows.map((row) => row.position)),
      plainArray(rows.map((row) => row.messageId)),
    ],
    'accept_insert_copies',
  );
}

/** Message id → the list that names its recipient. At sandbox.test only manual entries count. */
export async function findSuppressed(
  tx: Tx,
  group: readonly PreparedMessage[],
): Promise<Map<string, SuppressionList>> {
  const rows = await tx.query<{ message_id: string; list: SuppressionList }>(
    `select t.message_id, case when s.address is null then 'global' else 'tenant' end as list
       from unnest($1::uuid[], $2::text[], $3::uuid[]) as t (tenant_id, address, message_id)
       left join suppressions s on s.tenant_id = t.tenant_id${ofThese(tx, 's.tenant_id')} and s.address = t.address
        and (s.source = 'manual' or s.address not like '%@sandbox.test')
       left join global_suppressions g on g.address = t.address
      where s.address is not null or g.address is not null`,
    [
      plainArray(group.map((item) => item.tenantId)),
      textArray(group.map((item) => item.suppressionKey)),
      plainArray(group.map((item) => item.messageId)),
    ],
    'accept_find_suppressed',
  );
  const found = new Map(rows.map((row) => [row.message_id, row.list]));
  for (const { messageId, suppressionKey } of group)
    if (isAlwaysSuppressed(suppressionKey)) found.set(messageId, 'sandbox');
  return found;
}

/** Reserves `count` numbers per tenant; returns the first. Locks in tenant order. */
export async function takeSequences(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  if (counts.size === 0) return new Map();
  const tenantIds = [...counts.keys()].sort();
  const rows = await tx.query<{ tenant_id: string; last_sequence: number }>(
    `insert into tenant_sequences (tenant_id, last_sequence)
     select * from unnest($1::uuid[], $2::bigint[])
     on conflict (tenant_id) do update set last_sequence = tenant_sequences.last_sequence +
       excluded.last_sequence
     returning tenant_id, last_sequence`,
    [plainArray(tenantIds), plainArray(tenantIds.map((id) => counts.get(id)!))],
    'accept_take_sequences',
  );
  return new Map(rows.map((row) => [row.tenant_id, row.last_sequence - counts.get(row.tenant_id)! + 1]));
}

/** Returns the last `count` numbers, so that no gap remains. */
export function giveBackSequences(tx: Tx, counts: ReadonlyMap<string, number>): void {
  const tenantIds = [...counts.keys()].sort();
  tx.send(
    `update tenant_sequences s set last_sequence = s.last_sequence - t.count
       from unnest($1::uuid[], $2::bigint[]) as t (tenant_id, count) where s.tenant_id = t.tenant_id${ofThese(tx, 's.tenant_id')}`,
    [plainArray(tenantIds), plainArray(tenantIds.map((id) => counts.get(id)!))],
    'accept_give_back_sequences',
  );
}

export function columnsOf(messages: readonly PreparedMessage[]): MessageColumns {
  return {
    tenants: plainArray(messages.map(({ tenantId }) => tenantId)),
    messages: plainArray(messages.map(({ messageId }) => messageId)),
    created: timeArray(messages.map(({ createdAt }) => createdAt)),
  };
}

const NULL = 'NULL';

const MESSAGE_COLUMNS = rowColumns<AcceptedRow>(8, [
  ['idempotency_key', 'text', (rows) => textArray(rows.map(({ message }) => message.idempotencyKey))],
  ['header_from', 'text', (rows) => textArray(rows.map(({ message }) => message.headerFrom))],
  ['header_to', 'text', (rows) => textArray(rows.map(({ message }) => message.recipient))],
  ['sender_address', 'text', (rows) => textArray(rows.map(({ message }) => message.senderAddress))],
  ['recipient_address', 'text', (rows) => textArray(rows.map(({ message }) => message.recipientAddress))],
  ['reverse_path', 'text', (rows) => textArray(rows.map(({ message }) => message.reversePath))],
  ['subject', 'text', (rows) => textArray(rows.map(({ message }) => message.subject))],
  ['certified', 'boolean', (rows) => plainArray(rows.map(({ message }) => message.certified))],
  [
    'template_id',
    'uuid',
    (rows) => textArray(rows.map(({ message }) => message.template?.templateId ?? null)),
  ],
  [
    'template_version',
    'integer',
    (rows) => plainArray(rows.map(({ message }) => message.template?.version ?? NULL)),
  ],
  ['metadata', 'jsonb', (rows) => jsonArray(rows.map(({ message }) => JSON.stringify(message.metadata)))],
  ['size_bytes', 'integer', (rows) => plainArray(rows.map(({ message }) => message.raw.length))],
  ['tenant_sequence', 'bigint', (rows) => plainArray(rows.map(({ leaf }) => leaf?.tenantSequence ?? NULL))],
  ['send_at', 'timestamptz', (rows) => timeArray(rows.map(({ message }) => message.sendAt))],
  ['api_key_id', 'uuid', (rows) => textArray(rows.map(({ message }) => message.apiKeyId))],
]);

const INSERT_MESSAGES = `insert into messages (tenant_id, message_id, created_at, canonical_hash, tags,
        status, next_attempt_at, sandbox, ${MESSAGE_COLUMNS.names})
 select t.tenant_id, t.message_id, t.created_at,
        case when t.certified then substring($4::bytea from t.hash_from for 32) end, t.tags::text[],
        case when t.send_at is null then 'queued' else 'scheduled' end,
        coalesce(t.send_at, t.created_at), $7, ${MESSAGE_COLUMNS.selected}
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $5::integer[], $6::text[],
          ${MESSAGE_COLUMNS.parameters})
     as t (tenant_id, message_id, created_at, hash_from, tags, ${MESSAGE_COLUMNS.names})
 returning null`;

export function insertMessages(
  tx: Tx,
  ids: MessageColumns,
  rows: readonly AcceptedRow[],
  sandbox: boolean,
): void {
  const hashes = new Blob(rows.map((row) => row.leaf?.canonicalHash ?? EMPTY));
  tx.send(
    INSERT_MESSAGES,
    [
      ids.tenants,
      ids.messages,
      ids.created,
      hashes.bytes,
      plainArray(hashes.from),
      textArray(rows.map(({ message }) => textArray(message.tags))),
      sandbox,
      ...MESSAGE_COLUMNS.values(rows),
    ],
    'accept_insert_messages',
  );
}

export function insertContents(tx: Tx, ids: MessageColumns, rows: readonly AcceptedRow[]): void {
  const blob = new Blob(rows.flatMap(({ message }) => [message.raw, message.submission]));
  tx.send(
    `insert into message_contents (tenant_id, message_id, raw, submission)
     select t.tenant_id, t.message_id, substring($3::bytea from t.raw_from for t.raw_for),
       substring($3::bytea from t.sub_from for t.sub_for)
       from unnest($1::uuid[], $2::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])
         as t (tenant_id, message_id, raw_from, raw_for, sub_from, sub_for)
     returning null`,
    [
      ids.tenants,
      ids.messages,
      blob.bytes,
      plainArray(every(2, blob.from, 0)),
      plainArray(every(2, blob.lengths, 0)),
      plainArray(every(2, blob.from, 1)),
      plainArray(every(2, blob.lengths, 1)),
    ],
    'accept_insert_contents',
  );
}

const EMPTY = new Uint8Array(0);

function every(step: number, values: readonly number[], offset: number): number[] {
  const picked: number[] = [];
  for (let at = offset; at < values.length; at += step) picked.push(values[at]!);
  return picked;
}
