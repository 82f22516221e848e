import type { PendingLeaf } from '../../../messages/leaves/pending-store.ts';
import type { Queryable, Tx } from '../../../platform/database/db.ts';
import type { LostLeaf } from '../log-store.ts';
import type { MirroredCheckpoint } from './block.ts';

export async function readCheckpoints(
  q: Queryable,
  logId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<MirroredCheckpoint[]> {
  return q.query<MirroredCheckpoint>(
    `select tree_size as "treeSize", previous_tree_size as "previousTreeSize", batch_id as "batchId", note,
            created_at as "createdAt"
       from checkpoints where log_id = $1 and tree_size > $2 and tree_size <= $3 order by tree_size`,
    [logId, from, to],
    'read_checkpoints',
  );
}

export async function insertLostLeaves(tx: Tx, logId: string, leaves: readonly LostLeaf[]): Promise<void> {
  await tx.execute(
    `insert into lost_leaves (log_id, leaf_index, canonical_hash, tree_size)
     select $1, * from unnest($2::bigint[], $3::bytea[], $4::bigint[])`,
    [
      logId,
      leaves.map(({ leafIndex }) => leafIndex),
      leaves.map(({ canonicalHash }) => canonicalHash),
      leaves.map(({ treeSize }) => treeSize),
    ],
    'insert_lost_leaves',
  );
}

/** Gives a waiting leaf its place in the log. */
export async function insertPlacedLeaf(tx: Tx, logId: string, leaf: PendingLeaf & LostLeaf): Promise<void> {
  await tx.execute(
    `insert into leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash, leaf_index, tree_size)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[leaf.tenantId, leaf.leafId, logId, leaf.messageId, leaf.canonicalHash],
      ...[leaf.leafIndex, leaf.treeSize],
    ],
    'insert_placed_leaf',
  );
}
