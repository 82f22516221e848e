import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

/** Two checkpoints signed by the log's key that contradict each other. */
export interface LogStop {
  readonly witness: string;
  readonly note: string;
  readonly ownNote: string | null;
}

export interface StoppedLog extends LogStop {
  readonly logId: string;
  readonly origin: string;
  readonly stoppedAt: Date;
}

/** False: already stopped or ended. The first proof is kept. */
export function stopLog(tx: Tx, logId: string, stop: LogStop, now: Date): Promise<boolean> {
  return changed(
    tx,
    `update logs set stopped_at = $2, stop_witness = $3, stop_note = $4, stop_own_note = $5
      where log_id = $1 and stopped_at is null and ended_at is null`,
    [logId, now.toISOString(), stop.witness, stop.note, stop.ownNote],
    'stop_log',
  );
}

export async function listStoppedLogs(q: Queryable): Promise<StoppedLog[]> {
  return q.query<StoppedLog>(
    `select log_id as "logId", origin, stopped_at as "stoppedAt", stop_witness as witness, stop_note as note,
            stop_own_note as "ownNote"
       from logs where stopped_at is not null and ended_at is null order by stopped_at, log_id`,
    [],
    'list_stopped_logs',
  );
}

export async function isStopped(q: Queryable, logId: string): Promise<boolean> {
  const [row] = await q.query<{ stopped: boolean }>(
    'select stopped_at is not null as stopped from logs where log_id = $1',
    [logId],
    'is_log_stopped',
  );
  return row?.stopped ?? false;
}
