import type { PendingLeaves } from '../../messages/leaves/pending-store.ts';
import { uuidAt } from '../../platform/blob.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import type { TileRow } from './log-store.ts';

export interface LogHead {
  readonly treeSize: number;
  readonly publishedSize: number;
  readonly note: string | null;
  /** A witness has shown that it was rolled back: nothing is signed. */
  readonly isStopped: boolean;
  /** It signs with ML-DSA-44 too. */
  readonly hasSecondKey: boolean;
}

export async function readHead(q: Queryable, logId: string): Promise<LogHead | undefined> {
  const [head] = await q.query<LogHead>(
    `select l.tree_size as "treeSize", l.published_size as "publishedSize", c.note,
            l.stopped_at is not null as "isStopped",
            l.mldsa44_public_key is not null as "hasSecondKey"
       from logs l
       left join checkpoints c on c.log_id = l.log_id and c.tree_size = l.tree_size
      where l.log_id = $1`,
    [logId],
    'read_log_head',
  );
  return head;
}

/** Advances the log's size; `isPublished`: the published size too. False: another sequencer was first. */
export function advanceTreeSize(
  tx: Tx,
  logId: string,
  { from, to, isPublished }: { readonly from: number; readonly to: number; readonly isPublished: boolean },
): Promise<boolean> {
  return changed(
    tx,
    `update logs set tree_size = $3, published_size = case when $4 then $3 else published_size end
      where log_id = $1 and tree_size = $2 and ended_at is null and stopped_at is null`,
    [logId, from, to, isPublished],
    'advance_tree_size',
  );
}

/** Publishes up to `size`; returns the previous published size, null: already done. */
export async function setPublished(tx: Tx, logId: string, size: number): Promise<number | null> {
  const [row] = await tx.query<{ before: number }>(
    `update logs l set published_size = $2
       from (select log_id, published_size from logs
              where log_id = $1 and ended_at is null and stopped_at is null for update) old
      where l.log_id = old.log_id and old.published_size < $2
     returning old.published_size as before`,
    [logId, size],
    'set_published',
  );
  return row?.before ?? null;
}

export async function insertLeaves(
  tx: Tx,
  logId: string,
  leaves: PendingLeaves,
  firstIndex: number,
  treeSize: number,
): Promise<void> {
  await tx.query(
    `with added as (
       insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
       select ${uuidAt('$1')}, ${uuidAt('$2')}, $5, ${uuidAt('$3')},
         substring($4::bytea from n * 32 + 1 for 32), $7::bigint + n, $8
         from generate_series(0, $6::integer - 1) as n
       returning 1)
     select count(*) from added`,
    [
      leaves.tenantIds,
      leaves.leafIds,
      leaves.messageIds,
      leaves.canonicalHashes,
      logId,
      leaves.count,
      firstIndex,
      treeSize,
    ],
    'insert_leaves',
  );
}

/** A tile only grows: its old content stays a prefix. */
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

/** Announces new checkpoints and cosignatures: the log's id. */
export const LOG_CHANNEL = 'acuse_log';

/** A hint: others look within a second anyway. */
export function announceLog(tx: Tx, logId: string): void {
  tx.send('select pg_notify($1, $2)', [LOG_CHANNEL, logId], 'announce_log');
}

export async function enqueueStamps(
  tx: Tx,
  logId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  dueAt: Date,
): Promise<void> {
  await tx.execute(
    `insert into stamp_queue (log_id, tree_size, due_at, created_at)
     select log_id, tree_size, $4, $4 from checkpoints
      where log_id = $1 and tree_size > $2 and tree_size <= $3
     on conflict do nothing`,
    [logId, after, upTo, dueAt.toISOString()],
    'enqueue_stamps',
  );
}

export async function enqueueStamp(tx: Tx, logId: string, treeSize: number, dueAt: Date): Promise<void> {
  await tx.execute(
    'insert into stamp_queue (log_id, tree_size, due_at, created_at) values ($1, $2, $3, $3)',
    [logId, treeSize, dueAt.toISOString()],
    'enqueue_stamp',
  );
}
