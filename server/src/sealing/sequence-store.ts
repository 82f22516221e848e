import type { Queryable, Tx } from '../platform/db.ts';
import type { TileRow } from './log-store.ts';

export interface LogHead {
  readonly treeSize: number;
  /** The signed note over that size; null while the log is empty. */
  readonly note: string | null;
}

export async function readHead(q: Queryable, logId: string): Promise<LogHead | undefined> {
  const [head] = await q.query<LogHead>(
    `select l.tree_size as "treeSize", c.note
       from logs l
       left join checkpoints c on c.log_id = l.log_id and c.tree_size = l.tree_size
      where l.log_id = $1`,
    [logId],
    'read_log_head',
  );
  return head;
}

export interface PendingLeaf {
  readonly tenantId: string;
  readonly leafId: string;
  readonly messageId: string;
  readonly canonicalHash: Uint8Array;
}

/** Committed leaves in the order of their ids, which is about the order of acceptance. */
export async function readOldestPending(q: Queryable, logId: string, limit: number): Promise<PendingLeaf[]> {
  return q.query<PendingLeaf>(
    `select tenant_id as "tenantId", leaf_id as "leafId", message_id as "messageId", canonical_hash as "canonicalHash"
       from pending_leaves
      where log_id = $1
      order by leaf_id
      limit $2`,
    [logId, limit],
    'read_oldest_pending',
  );
}

/** Moves the log from one size to the next; false: it is not of that size any more, another sequencer was first. */
export async function advanceTreeSize(tx: Tx, logId: string, from: number, to: number): Promise<boolean> {
  const rows = await tx.execute(
    'update logs set tree_size = $3 where log_id = $1 and tree_size = $2',
    [logId, from, to],
    'advance_tree_size',
  );
  return rows === 1;
}

/** Returns how many there were. */
export async function deletePending(tx: Tx, leaves: readonly PendingLeaf[]): Promise<number> {
  return tx.execute(
    `delete from pending_leaves p
      using unnest($1::uuid[], $2::uuid[]) as sequenced (tenant_id, leaf_id)
      where p.tenant_id = sequenced.tenant_id and p.leaf_id = sequenced.leaf_id`,
    [leaves.map((leaf) => leaf.tenantId), leaves.map((leaf) => leaf.leafId)],
    'delete_pending',
  );
}

/** Writes the leaves from `firstIndex` on, in their order. Hashes go as one blob: no hex, no text. */
export async function insertLeaves(
  tx: Tx,
  logId: string,
  leaves: readonly PendingLeaf[],
  firstIndex: number,
  treeSize: number,
): Promise<void> {
  await tx.execute(
    `insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
     select l.tenant_id, l.leaf_id, $1, l.message_id, substring($4::bytea from (l.ord * 32 - 31)::integer for 32), $2 + l.ord - 1, $3
       from unnest($5::uuid[], $6::uuid[], $7::uuid[]) with ordinality as l (tenant_id, leaf_id, message_id, ord)`,
    [
      logId,
      firstIndex,
      treeSize,
      Buffer.concat(leaves.map((leaf) => leaf.canonicalHash)),
      leaves.map((leaf) => leaf.tenantId),
      leaves.map((leaf) => leaf.leafId),
      leaves.map((leaf) => leaf.messageId),
    ],
    'insert_leaves',
  );
}

/** A stored tile only ever grows: what was there stays its prefix. */
export async function upsertTiles(tx: Tx, logId: string, tiles: readonly TileRow[]): Promise<void> {
  await tx.execute(
    `insert into log_tiles (log_id, level, tile_index, hashes)
     select $1, * from unnest($2::smallint[], $3::bigint[], $4::bytea[])
     on conflict (log_id, level, tile_index) do update set hashes = excluded.hashes`,
    [
      logId,
      tiles.map((tile) => tile.level),
      tiles.map((tile) => tile.index),
      tiles.map((tile) => tile.hashes),
    ],
    'upsert_tiles',
  );
}

export interface NewCheckpoint {
  readonly logId: string;
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly batchId: string;
  readonly rootHash: Uint8Array;
  readonly note: string;
  readonly createdAt: Date;
}

export async function insertCheckpoint(tx: Tx, checkpoint: NewCheckpoint): Promise<void> {
  await tx.execute(
    `insert into checkpoints (log_id, tree_size, batch_id, previous_tree_size, root_hash, note, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      checkpoint.logId,
      checkpoint.treeSize,
      checkpoint.batchId,
      checkpoint.previousTreeSize,
      checkpoint.rootHash,
      checkpoint.note,
      checkpoint.createdAt.toISOString(),
    ],
    'insert_checkpoint',
  );
}

/** Puts a checkpoint in line for its constancia. */
export async function enqueueStamp(tx: Tx, logId: string, treeSize: number, dueAt: Date): Promise<void> {
  await tx.execute(
    'insert into stamp_queue (log_id, tree_size, due_at, created_at) values ($1, $2, $3, $3)',
    [logId, treeSize, dueAt.toISOString()],
    'enqueue_stamp',
  );
}
