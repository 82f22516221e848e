import type { Queryable } from '../platform/database/db.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';
import type { LogKeyColumns } from './log/published-keys.ts';
import type { LogStop } from './log/stop-store.ts';

export interface LogStatusRow extends LogKeyColumns {
  readonly leaves: number;
  readonly endedAt: Date | null;
  readonly stop: (LogStop & { readonly at: Date }) | null;
  readonly pendingLeaves: number;
  /** After an end: leaves that are never sealed. */
  readonly unsealedLeaves: number;
  readonly unstamped: number;
  /** The oldest: waiting since, tries, next try, reason. Null: none. */
  readonly oldestUnstampedAt: Date | null;
  readonly attempts: number | null;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

interface LogOfStatus extends LogKeyColumns {
  readonly logId: string;
  readonly leaves: number;
  readonly publishedSize: number;
  readonly endedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly witness: string | null;
  readonly note: string | null;
  readonly ownNote: string | null;
}

/** Counts up to `limit`, per log: with Citus the rows are on different nodes. */
export async function readLogStatus(q: Queryable, limit = COUNTED_MAX): Promise<LogStatusRow[]> {
  const logs = await q.query<LogOfStatus>(
    `select log_id as "logId", origin, tree_size as leaves, published_size as "publishedSize",
            ended_at as "endedAt", stopped_at as "stoppedAt", stop_witness as witness, stop_note as note,
            stop_own_note as "ownNote", public_key as "publicKey",
            mldsa44_public_key as "mldsa44PublicKey", mldsa44_from as "mldsa44From"
       from logs order by created_at, origin`,
  );
  const rows: LogStatusRow[] = [];
  for (const log of logs) {
    const { logId, origin, leaves, publishedSize, endedAt, publicKey, mldsa44PublicKey, mldsa44From } = log;
    const keys = { publicKey, mldsa44PublicKey, mldsa44From };
    const unsealedLeaves = endedAt === null ? 0 : await countUnsealed(q, logId, publishedSize, limit);
    const pendingLeaves = endedAt === null ? await countPending(q, logId, limit) : 0;
    const waiting = { endedAt, stop: stopOf(log), pendingLeaves, unsealedLeaves };
    rows.push({ origin, leaves, ...keys, ...waiting, ...(await readUnstamped(q, logId, limit)) });
  }
  return rows;
}

async function countPending(q: Queryable, logId: string, limit: number | null): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    'select count(*) as count from (select 1 from pending_leaves where log_id = $1 limit $2) p',
    [logId, limit],
  );
  return row!.count;
}

/**
 * Leaves accepted for a log but in no published checkpoint: after its end they stay unsealed.
 * `publishedSize`: in leaves. `limit` null: all.
 */
export async function countUnsealed(
  q: Queryable,
  logId: string,
  publishedSize: number,
  limit: number | null = null,
): Promise<number> {
  // Stored, but not anchored when the process died.
  const [row] = await q.query<{ count: number }>(
    'select count(*) as count from (select 1 from leaves where log_id = $1 and leaf_index >= $2 limit $3) l',
    [logId, publishedSize, limit],
  );
  return (await countPending(q, logId, limit)) + row!.count;
}

function stopOf({ stoppedAt: at, witness, note, ownNote }: LogOfStatus): LogStatusRow['stop'] {
  return at === null ? null : { at, witness: witness!, note: note!, ownNote };
}

type Unstamped = Omit<
  LogStatusRow,
  keyof LogKeyColumns | 'leaves' | 'endedAt' | 'stop' | 'pendingLeaves' | 'unsealedLeaves'
>;

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
