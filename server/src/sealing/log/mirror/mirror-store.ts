import type { Queryable } from '../../../platform/database/db.ts';
import type { MirroredCheckpoint } from './block.ts';

/** Checkpoints of sizes over `from` up to `to`, in their order. */
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
