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

interface LogOfStatus {
  readonly logId: string;
  readonly origin: string;
  readonly leaves: number;
}

/** Counts up to `limit`. Log by log: what waits is on other nodes than they where tables are distributed. */
export async function readLogStatus(q: Queryable, limit = COUNTED_MAX): Promise<LogStatusRow[]> {
  const logs = await q.query<LogOfStatus>(
    'select log_id as "logId", origin, tree_size as leaves from logs order by origin',
  );
  const rows: LogStatusRow[] = [];
  for (const { logId, origin, leaves } of logs) {
    const pendingLeaves = await countPending(q, logId, limit);
    rows.push({ origin, leaves, pendingLeaves, ...(await readUnstamped(q, logId, limit)) });
  }
  return rows;
}

async function countPending(q: Queryable, logId: string, limit: number): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    'select count(*) as count from (select 1 from pending_leaves where log_id = $1 limit $2) p',
    [logId, limit],
  );
  return row!.count;
}

type Unstamped = Omit<LogStatusRow, 'origin' | 'leaves' | 'pendingLeaves'>;

async function readUnstamped(q: Queryable, logId: string, limit: number): Promise<Unstamped> {
  const [row] = await q.query<Unstamped>(
    `select counted.unstamped, oldest.created_at as "oldestUnstampedAt", oldest.attempt as attempts,
            oldest.due_at as "nextAttemptAt", oldest.last_error as "lastError"
       from (select count(*) as unstamped
               from (select 1 from stamp_queue where log_id = $1 limit $2) s) counted
       left join (select created_at, attempt, due_at, last_error from stamp_queue
                   where log_id = $1 order by tree_size limit 1) oldest on true`,
    [logId, limit],
  );
  return row!;
}
