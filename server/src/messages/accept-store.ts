import type { Tx } from '../platform/db.ts';
import type { AcceptedRow, PreparedMessage } from './prepared.ts';

/**
 * The statements of the grouped commit, in the order in which they run. Each takes the whole group over unnest arrays;
 * bytes travel as one binary blob that the statement cuts up (no hex, no copies per row).
 */

/** Claims idempotency keys; returns the message ids whose claim is new. Waits for a claim in flight elsewhere, then loses to it. */
export async function claimKeys(tx: Tx, group: readonly PreparedMessage[]): Promise<Set<string>> {
  const digests = new Blob(group.map((item) => item.submissionDigest));
  const rows = await tx.query<{ message_id: string }>(
    `insert into idempotency_claims (tenant_id, idempotency_key, message_id, submission_digest)
     select t.tenant_id, t.idempotency_key, t.message_id, substring($4::bytea from t.at for 32)
       from unnest($1::uuid[], $2::text[], $3::uuid[], $5::integer[]) as t (tenant_id, idempotency_key, message_id, at)
     on conflict (tenant_id, idempotency_key) do nothing
     returning message_id`,
    [
      group.map((item) => item.tenantId),
      group.map((item) => item.idempotencyKey),
      group.map((item) => item.messageId),
      digests.bytes,
      digests.from,
    ],
    'accept_claim_keys',
  );
  return new Set(rows.map((row) => row.message_id));
}

/** Gives back the claims of messages that were refused after all, so that a mended send may use the key. */
export async function releaseKeys(tx: Tx, group: readonly PreparedMessage[]): Promise<void> {
  await tx.execute(
    `delete from idempotency_claims c using unnest($1::uuid[], $2::text[]) as t (tenant_id, idempotency_key)
      where c.tenant_id = t.tenant_id and c.idempotency_key = t.idempotency_key`,
    [group.map((item) => item.tenantId), group.map((item) => item.idempotencyKey)],
    'accept_release_keys',
  );
}

/** Finds which recipients are suppressed; message id → the list that names it. */
export async function findSuppressed(
  tx: Tx,
  group: readonly PreparedMessage[],
): Promise<Map<string, 'tenant' | 'global'>> {
  const rows = await tx.query<{ message_id: string; list: 'tenant' | 'global' }>(
    `select t.message_id, case when s.address is null then 'global' else 'tenant' end as list
       from unnest($1::uuid[], $2::text[], $3::uuid[]) as t (tenant_id, address, message_id)
       left join suppressions s on s.tenant_id = t.tenant_id and s.address = t.address
       left join global_suppressions g on g.address = t.address
      where s.address is not null or g.address is not null`,
    [
      group.map((item) => item.tenantId),
      group.map((item) => item.suppressionKey),
      group.map((item) => item.messageId),
    ],
    'accept_find_suppressed',
  );
  return new Map(rows.map((row) => [row.message_id, row.list]));
}

/** Takes `count` sequence numbers of each tenant; returns the first one taken. Locks rows in tenant order. */
export async function takeSequences(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  if (counts.size === 0) return new Map();
  const tenantIds = [...counts.keys()].sort();
  const rows = await tx.query<{ tenant_id: string; last_sequence: number }>(
    `insert into tenant_sequences (tenant_id, last_sequence)
     select * from unnest($1::uuid[], $2::bigint[])
     on conflict (tenant_id) do update set last_sequence = tenant_sequences.last_sequence + excluded.last_sequence
     returning tenant_id, last_sequence`,
    [tenantIds, tenantIds.map((id) => counts.get(id))],
    'accept_take_sequences',
  );
  return new Map(rows.map((row) => [row.tenant_id, row.last_sequence - counts.get(row.tenant_id)! + 1]));
}

/** Writes what was accepted: messages, bytes, queue rows, events, leaves. Counters come last: theirs is the hottest row. */
export function insertAccepted(tx: Tx, rows: readonly AcceptedRow[], logId: string): Promise<unknown> {
  const certified = rows.filter((row) => row.leaf !== null);
  const writes = [insertMessages(tx, rows), insertContents(tx, rows), insertQueue(tx, rows)];
  if (certified.length > 0)
    writes.push(insertLeafContents(tx, certified), insertPendingLeaves(tx, certified, logId));
  writes.push(countIngested(tx, rows));
  return Promise.all(writes);
}

function insertMessages(tx: Tx, rows: readonly AcceptedRow[]): Promise<number> {
  const hashes = new Blob(rows.map((row) => row.leaf?.canonicalHash ?? EMPTY));
  return tx.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address, recipient_address,
            reverse_path, subject, certified, status, template_id, template_version, tags, metadata, size_bytes, canonical_hash, tenant_sequence,
            created_at, next_attempt_at)
     select t.tenant_id, t.message_id, t.idempotency_key, t.header_from, t.header_to, t.sender_address, t.recipient_address,
            t.reverse_path, t.subject, t.certified, 'queued', t.template_id, t.template_version,
            array(select jsonb_array_elements_text(t.tags)), t.metadata, t.size_bytes,
            case when t.certified then substring($17::bytea from t.hash_from for 32) end, t.tenant_sequence, t.created_at, t.created_at
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[], $10::uuid[],
                   $11::integer[], $12::jsonb[], $13::jsonb[], $14::integer[], $15::bigint[], $16::timestamptz[], $18::integer[], $19::text[])
         as t (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address, recipient_address, subject, certified, template_id,
               template_version, tags, metadata, size_bytes, tenant_sequence, created_at, hash_from, reverse_path)`,
    [
      rows.map(({ message }) => message.tenantId),
      rows.map(({ message }) => message.messageId),
      rows.map(({ message }) => message.idempotencyKey),
      rows.map(({ message }) => message.headerFrom),
      rows.map(({ message }) => message.headerTo),
      rows.map(({ message }) => message.senderAddress),
      rows.map(({ message }) => message.recipientAddress),
      rows.map(({ message }) => message.subject),
      rows.map(({ message }) => message.certified),
      rows.map(({ message }) => message.template?.templateId ?? null),
      rows.map(({ message }) => message.template?.version ?? null),
      rows.map(({ message }) => JSON.stringify(message.tags)),
      rows.map(({ message }) => JSON.stringify(message.metadata)),
      rows.map(({ message }) => message.raw.length),
      rows.map((row) => row.leaf?.tenantSequence ?? null),
      rows.map(({ message }) => message.createdAt.toISOString()),
      hashes.bytes,
      hashes.from,
      rows.map(({ message }) => message.reversePath),
    ],
    'accept_insert_messages',
  );
}

function insertContents(tx: Tx, rows: readonly AcceptedRow[]): Promise<number> {
  const blob = new Blob(rows.flatMap(({ message }) => [message.raw, message.submission]));
  const even = (values: number[]) => values.filter((_, at) => at % 2 === 0);
  const odd = (values: number[]) => values.filter((_, at) => at % 2 === 1);
  return tx.execute(
    `insert into message_contents (tenant_id, message_id, raw, submission)
     select t.tenant_id, t.message_id, substring($3::bytea from t.raw_from for t.raw_for), substring($3::bytea from t.sub_from for t.sub_for)
       from unnest($1::uuid[], $2::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::integer[])
         as t (tenant_id, message_id, raw_from, raw_for, sub_from, sub_for)`,
    [
      rows.map(({ message }) => message.tenantId),
      rows.map(({ message }) => message.messageId),
      blob.bytes,
      even(blob.from),
      even(blob.lengths),
      odd(blob.from),
      odd(blob.lengths),
    ],
    'accept_insert_contents',
  );
}

function insertQueue(tx: Tx, rows: readonly AcceptedRow[]): Promise<number> {
  return tx.execute(
    `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
     select t.tenant_id, t.message_id, t.destination, t.created_at, t.created_at, t.expires_at
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as t (tenant_id, message_id, destination, created_at, expires_at)`,
    [
      rows.map(({ message }) => message.tenantId),
      rows.map(({ message }) => message.messageId),
      rows.map(({ message }) => message.destination),
      rows.map(({ message }) => message.createdAt.toISOString()),
      rows.map(({ message }) => message.expiresAt.toISOString()),
    ],
    'accept_insert_queue',
  );
}

function insertLeafContents(tx: Tx, rows: readonly AcceptedRow[]): Promise<number> {
  const blob = new Blob(
    rows.flatMap(({ leaf }) => [leaf!.canonicalHash, leaf!.manifestBytes, leaf!.openings]),
  );
  const third = (values: number[], offset: number) => values.filter((_, at) => at % 3 === offset);
  return tx.execute(
    `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, openings, created_at)
     select t.tenant_id, t.message_id, t.message_id, 'message', substring($4::bytea from t.hash_from for 32),
            substring($4::bytea from t.man_from for t.man_for), substring($4::bytea from t.open_from for t.open_for), t.created_at
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $5::integer[], $6::integer[], $7::integer[], $8::integer[], $9::integer[])
         as t (tenant_id, message_id, created_at, hash_from, man_from, man_for, open_from, open_for)`,
    [
      rows.map(({ message }) => message.tenantId),
      rows.map(({ message }) => message.messageId),
      rows.map(({ message }) => message.createdAt.toISOString()),
      blob.bytes,
      third(blob.from, 0),
      third(blob.from, 1),
      third(blob.lengths, 1),
      third(blob.from, 2),
      third(blob.lengths, 2),
    ],
    'accept_insert_leaf_contents',
  );
}

function insertPendingLeaves(tx: Tx, rows: readonly AcceptedRow[], logId: string): Promise<number> {
  const hashes = new Blob(rows.map(({ leaf }) => leaf!.canonicalHash));
  return tx.execute(
    `insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash)
     select t.tenant_id, t.message_id, $3::uuid, t.message_id, substring($4::bytea from t.at for 32)
       from unnest($1::uuid[], $2::uuid[], $5::integer[]) as t (tenant_id, message_id, at)`,
    [
      rows.map(({ message }) => message.tenantId),
      rows.map(({ message }) => message.messageId),
      logId,
      hashes.bytes,
      hashes.from,
    ],
    'accept_insert_pending_leaves',
  );
}

function countIngested(tx: Tx, rows: readonly AcceptedRow[]): Promise<number> {
  const counts = new Map<string, { tenantId: string; day: string; all: number; certified: number }>();
  for (const { message } of rows) {
    const day = message.createdAt.toISOString().slice(0, 10);
    const count = counts.get(message.tenantId + day) ?? {
      tenantId: message.tenantId,
      day,
      all: 0,
      certified: 0,
    };
    count.all++;
    if (message.certified) count.certified++;
    counts.set(message.tenantId + day, count);
  }
  // In key order: every writer of counters locks in the same order, so that none deadlocks.
  const ordered = [...counts.keys()].sort().map((key) => counts.get(key)!);
  return tx.execute(
    `insert into daily_counters (tenant_id, day, ingested, ingested_certified)
     select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[])
     on conflict (tenant_id, day) do update
        set ingested = daily_counters.ingested + excluded.ingested,
            ingested_certified = daily_counters.ingested_certified + excluded.ingested_certified`,
    [
      ordered.map((count) => count.tenantId),
      ordered.map((count) => count.day),
      ordered.map((count) => count.all),
      ordered.map((count) => count.certified),
    ],
    'accept_count_ingested',
  );
}

const EMPTY = new Uint8Array(0);

/** Many byte strings as one parameter: where each begins (1-based, as substring counts) and how long it is. */
class Blob {
  readonly bytes: Buffer;
  readonly from: number[] = [];
  readonly lengths: number[] = [];

  constructor(parts: readonly Uint8Array[]) {
    let at = 1;
    for (const part of parts) {
      this.from.push(at);
      this.lengths.push(part.length);
      at += part.length;
    }
    this.bytes = Buffer.concat(parts);
  }
}
