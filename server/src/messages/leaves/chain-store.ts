import { Blob } from '../../platform/blob.ts';
import { plainArray, timeArray } from '../../platform/database/array-text.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { isDistributed } from '../../platform/database/distributed.ts';

interface MessageKey {
  readonly tenantId: string;
  readonly messageId: string;
}

/** The newest leaf, which the next one names. */
export interface ChainEnd {
  readonly logId: string;
  readonly logOrigin: string;
  readonly messageHash: Uint8Array;
  readonly lastHash: Uint8Array;
  readonly lastLeafId: string;
  readonly lastOrdinal: number;
}

const CHAIN_ENDS = `select own.message_id as "messageId", own.canonical_hash as "messageHash",
      last.canonical_hash as "lastHash", last.leaf_id as "lastLeafId",
            last.ordinal as "lastOrdinal", log.log_id as "logId", log.origin as "logOrigin"
       from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, message_id)
       join leaf_contents own on own.tenant_id = w.tenant_id and own.message_id = w.message_id and own.ordinal
         = 0
      cross join lateral (
              select canonical_hash, leaf_id, ordinal from leaf_contents c
               where c.tenant_id = w.tenant_id and c.message_id = w.message_id
               order by c.ordinal desc limit 1) last
      cross join lateral (
              select p.log_id from pending_leaves p where p.tenant_id = own.tenant_id and p.leaf_id =
                own.leaf_id
               union all
              select l.log_id from leaves l where l.tenant_id = own.tenant_id and l.leaf_id = own.leaf_id)
                place
       join logs log on log.log_id = place.log_id`;

/** With Citus: reads all leaves of a message and takes the last. */
const CHAIN_ENDS_ON_NODES = `select distinct on (own.tenant_id, own.message_id)
            own.message_id as "messageId", own.canonical_hash as "messageHash",
            last.canonical_hash as "lastHash", last.leaf_id as "lastLeafId",
            last.ordinal as "lastOrdinal", log.log_id as "logId",
            log.origin as "logOrigin"
       from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, message_id)
       join leaf_contents own
         on own.tenant_id = w.tenant_id and own.message_id = w.message_id and own.ordinal = 0
        and own.tenant_id = any ($1::uuid[])
       join leaf_contents last on last.tenant_id = own.tenant_id and last.message_id = own.message_id
        and last.tenant_id = any ($1::uuid[])
       left join pending_leaves p on p.tenant_id = own.tenant_id and p.leaf_id = own.leaf_id
        and p.tenant_id = any ($1::uuid[])
       left join leaves l on l.tenant_id = own.tenant_id and l.leaf_id = own.leaf_id
        and l.tenant_id = any ($1::uuid[])
       join logs log on log.log_id = coalesce(p.log_id, l.log_id)
      order by own.tenant_id, own.message_id, last.ordinal desc`;

/** Messages without a leaf are missing. */
export async function readChainEnds(
  q: Queryable,
  messages: readonly MessageKey[],
): Promise<Map<string, ChainEnd>> {
  const rows = await q.query<ChainEnd & { messageId: string }>(
    (await isDistributed(q)) ? CHAIN_ENDS_ON_NODES : CHAIN_ENDS,
    [
      plainArray(messages.map(({ tenantId }) => tenantId)),
      plainArray(messages.map(({ messageId }) => messageId)),
    ],
    'delivery_read_chain_ends',
  );
  return new Map(rows.map(({ messageId, ...end }) => [messageId, end]));
}

/** As array text, shared by statements. */
export interface MessageColumns {
  readonly tenants: string;
  readonly messages: string;
  readonly created: string;
}

interface NewMessageLeaf {
  readonly canonicalHash: Uint8Array;
  readonly manifestBytes: Uint8Array;
  readonly openings: Uint8Array;
}

export function insertMessageLeaves(
  tx: Tx,
  messages: MessageColumns,
  leaves: readonly NewMessageLeaf[],
  logId: string,
): void {
  const blob = new Blob(
    leaves.flatMap(({ canonicalHash, manifestBytes, openings }) => [canonicalHash, manifestBytes, openings]),
  );
  tx.send(
    `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, openings,
      created_at)
     select t.tenant_id, t.message_id, t.message_id, 'message', substring($4::bytea from t.hash_from for 32),
            substring($4::bytea from t.man_from for t.man_for),
              substring($4::bytea from t.open_from for t.open_for), t.created_at
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $5::integer[], $6::integer[], $7::integer[],
         $8::integer[], $9::integer[])
         as t (tenant_id, message_id, created_at, hash_from, man_from, man_for, open_from, open_for)
     returning null`,
    [
      messages.tenants,
      messages.messages,
      messages.created,
      blob.bytes,
      part(0, blob.from),
      part(1, blob.from),
      part(1, blob.lengths),
      part(2, blob.from),
      part(2, blob.lengths),
    ],
    'accept_insert_leaf_contents',
  );
  const hashes = new Blob(leaves.map(({ canonicalHash }) => canonicalHash));
  tx.send(
    `insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash)
     select t.tenant_id, t.message_id, $3::uuid, t.message_id, substring($4::bytea from t.at for 32)
       from unnest($1::uuid[], $2::uuid[], $5::integer[]) as t (tenant_id, message_id, at)
     returning null`,
    [messages.tenants, messages.messages, logId, hashes.bytes, plainArray(hashes.from)],
    'accept_insert_pending_leaves',
  );
}

export interface NewOutcomeLeaf extends MessageKey {
  readonly leafId: string;
  readonly logId: string;
  readonly ordinal: number;
  readonly canonicalHash: Uint8Array;
  readonly manifest: Uint8Array;
  readonly openings: Uint8Array;
  readonly createdAt: Date;
}

/** A concurrent leaf was added: read the end again. */
export class ChainMoved extends Error {
  constructor() {
    super('a message has got another outcome since its chain was read');
    this.name = 'ChainMoved';
  }
}

/** Throws ChainMoved, which must end the transaction. */
export async function insertOutcomeLeaves(tx: Tx, leaves: readonly NewOutcomeLeaf[]): Promise<void> {
  const bytes = new Blob(
    leaves.flatMap(({ canonicalHash, manifest, openings }) => [canonicalHash, manifest, openings]),
  );
  const tenants = plainArray(leaves.map((leaf) => leaf.tenantId));
  const leafIds = plainArray(leaves.map((leaf) => leaf.leafId));
  const messages = plainArray(leaves.map((leaf) => leaf.messageId));
  const adding = tx.execute(
    `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, ordinal, canonical_hash, manifest,
       openings, created_at)
     select t.tenant_id, t.leaf_id, t.message_id, 'delivery', t.ordinal,
            substring($5::bytea from t.hash_from for 32), substring($5::bytea from t.man_from for t.man_for),
            substring($5::bytea from t.open_from for t.open_for), t.created_at
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $6::integer[], $7::integer[],
         $8::integer[], $9::integer[], $10::integer[], $11::timestamptz[])
         as t (tenant_id, leaf_id, message_id, ordinal, hash_from, man_from, man_for, open_from, open_for,
           created_at)
     on conflict (tenant_id, message_id, ordinal) do nothing`,
    [
      tenants,
      leafIds,
      messages,
      plainArray(leaves.map((leaf) => leaf.ordinal)),
      bytes.bytes,
      part(0, bytes.from),
      part(1, bytes.from),
      part(1, bytes.lengths),
      part(2, bytes.from),
      part(2, bytes.lengths),
      timeArray(leaves.map((leaf) => leaf.createdAt)),
    ],
    'delivery_insert_outcome_leaves',
  );
  // Pipelined: after ChainMoved the transaction rolls back.
  tx.send(
    `insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash)
     select t.tenant_id, t.leaf_id, t.log_id, t.message_id, substring($5::bytea from t.hash_from for 32)
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $6::integer[])
         as t (tenant_id, leaf_id, message_id, log_id, hash_from)
     returning null`,
    [
      tenants,
      leafIds,
      messages,
      plainArray(leaves.map((leaf) => leaf.logId)),
      bytes.bytes,
      part(0, bytes.from),
    ],
    'delivery_insert_pending_leaves',
  );
  const added = await adding;
  if (added !== leaves.length) throw new ChainMoved();
}

const PARTS = 3;

function part(at: number, list: readonly number[]): string {
  return plainArray(list.filter((_, index) => index % PARTS === at));
}
