import type { Queryable } from '../platform/db.ts';

export interface LogStatusRow {
  readonly origin: string;
  readonly leaves: number;
  readonly pendingLeaves: number;
  /** Checkpoints that have no constancia yet, the oldest of them, and why it has none. */
  readonly unstamped: number;
  readonly oldestUnstampedAt: Date | null;
  readonly lastError: string | null;
}

export async function readLogStatus(q: Queryable): Promise<LogStatusRow[]> {
  return q.query<LogStatusRow>(
    `select l.origin, l.tree_size as leaves,
            (select count(*) from pending_leaves p where p.log_id = l.log_id) as "pendingLeaves",
            (select count(*) from stamp_queue s where s.log_id = l.log_id) as unstamped,
            oldest.created_at as "oldestUnstampedAt", oldest.last_error as "lastError"
       from logs l
       left join lateral (select s.created_at, s.last_error from stamp_queue s
                           where s.log_id = l.log_id order by s.tree_size limit 1) oldest on true
      order by l.origin`,
  );
}
