import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';

export interface LogState {
  readonly treeSize: number;
  readonly isStopped: boolean;
  readonly pendingLeaves: number;
  readonly unstamped: number;
  readonly firstPendingLeaf: string | null;
  readonly firstUnstampedLeaf: string | null;
}

/**
 * How far a log is behind: index probes, and counts up to `limit`. Separate statements, because with Citus
 * the rows are on different nodes.
 */
export async function readLogState(
  q: Queryable,
  logId: string,
  limit = COUNTED_MAX,
): Promise<LogState | null> {
  const [row] = await q.query<
    Pick<LogState, 'treeSize' | 'isStopped' | 'unstamped'> & { firstUnstamped: number | null }
  >(
    `select tree_size as "treeSize", stopped_at is not null and ended_at is null as "isStopped",
            (select count(*)::integer from (select 1 from stamp_queue where log_id = $1 limit $2) s)
              as unstamped,
            (select c.previous_tree_size
               from (select tree_size from stamp_queue where log_id = $1 order by tree_size limit 1) s
               join checkpoints c on c.log_id = $1 and c.tree_size = s.tree_size) as "firstUnstamped"
       from logs where log_id = $1`,
    [logId, limit],
    'read_log_state',
  );
  if (row === undefined) return null;
  const { firstUnstamped, ...state } = row;
  const pending = await readPendingState(q, logId, limit);
  const firstUnstampedLeaf = firstUnstamped === null ? null : await findLeafAt(q, logId, firstUnstamped);
  return { ...state, ...pending, firstUnstampedLeaf };
}

async function readPendingState(
  q: Queryable,
  logId: string,
  limit: number,
): Promise<Pick<LogState, 'pendingLeaves' | 'firstPendingLeaf'>> {
  const [row] = await q.query<Pick<LogState, 'pendingLeaves' | 'firstPendingLeaf'>>(
    `select (select count(*)::integer from (select 1 from pending_leaves where log_id = $1 limit $2) p)
              as "pendingLeaves",
            (select leaf_id from pending_leaves where log_id = $1 order by leaf_id limit 1)
              as "firstPendingLeaf"`,
    [logId, limit],
    'read_pending_state',
  );
  return row!;
}

async function findLeafAt(q: Queryable, logId: string, leafIndex: number): Promise<string | null> {
  const [row] = await q.query<{ leafId: string }>(
    'select leaf_id as "leafId" from leaves where log_id = $1 and leaf_index = $2',
    [logId, leafIndex],
    'find_leaf_at',
  );
  return row?.leafId ?? null;
}
