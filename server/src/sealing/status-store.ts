import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';

export interface LogStatusRow {
  readonly origin: string;
  readonly leaves: number;
  readonly pendingLeaves: number;
  /** Checkpoints that have no constancia yet. */
  readonly unstamped: number;
  /**
   * The oldest of them: since when, how often one was asked for, when the next time is, and why it has none.
   * Null: there is none.
   */
  readonly oldestUnstampedAt: Date | null;
  readonly attempts: number | null;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

/** Counts up to `limit`. */
export async function readLogStatus(q: Queryable, limit = COUNTED_MAX): Promise<LogStatusRow[]> {
  return q.query<LogStatusRow>(
    `select l.origin, l.tree_size as leaves,
            (select count(*) from (select from pending_leaves p where p.log_id = l.log_id limit $1) p) as "pendingLeaves",
            (select count(*) from (select from stamp_queue s where s.log_id = l.log_id limit $1) s)
              as unstamped,
            oldest.created_at as "oldestUnstampedAt", oldest.attempt as attempts,
              oldest.due_at as "nextAttemptAt",
            oldest.last_error as "lastError"
       from logs l
       left join lateral (select s.created_at, s.attempt, s.due_at, s.last_error from stamp_queue s
                           where s.log_id = l.log_id order by s.tree_size limit 1) oldest on true
      order by l.origin`,
    [limit],
  );
}
