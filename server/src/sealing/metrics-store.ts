import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';

export interface LogState {
  readonly treeSize: number;
  /** Leaves that no checkpoint covers, and checkpoints without a constancia. */
  readonly pendingLeaves: number;
  readonly unstamped: number;
  /** The first leaf of each kind that has no constancia: ids that carry their time. */
  readonly firstPendingLeaf: string | null;
  readonly firstUnstampedLeaf: string | null;
}

/** How far one log is behind: some index probes, and counts up to `limit`. */
export async function readLogState(
  q: Queryable,
  logId: string,
  limit = COUNTED_MAX,
): Promise<LogState | null> {
  const [row] = await q.query<LogState>(
    `select l.tree_size as "treeSize",
            (select count(*)::integer
               from (select from pending_leaves p where p.log_id = l.log_id limit $2) p)
              as "pendingLeaves",
            (select count(*)::integer from (select from stamp_queue s where s.log_id = l.log_id limit $2) s)
              as "unstamped",
            (select p.leaf_id from pending_leaves p where p.log_id = l.log_id order by p.leaf_id limit 1) as
              "firstPendingLeaf",
            (select v.leaf_id
               from (select log_id, tree_size from stamp_queue where log_id = l.log_id order by tree_size
                 limit 1) s
               join checkpoints c using (log_id, tree_size)
               join leaves v on v.log_id = c.log_id and v.leaf_index = c.previous_tree_size) as
                 "firstUnstampedLeaf"
       from logs l where l.log_id = $1`,
    [logId, limit],
    'read_log_state',
  );
  return row ?? null;
}
