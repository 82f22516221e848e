import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

export interface EndedLog {
  readonly logId: string;
  readonly origin: string;
  readonly publicKey: Uint8Array;
  readonly mldsa44PublicKey: Uint8Array | null;
  readonly mldsa44From: Date | null;
  readonly note: string;
}

export async function listEndedLogs(q: Queryable): Promise<EndedLog[]> {
  return q.query<EndedLog>(
    `select log_id as "logId", origin, public_key as "publicKey", end_note as note,
            mldsa44_public_key as "mldsa44PublicKey", mldsa44_from as "mldsa44From"
       from logs where ended_at is not null order by ended_at, log_id`,
    [],
    'list_ended_logs',
  );
}

interface LogEnding {
  readonly logId: string;
  readonly treeSize: number;
  readonly successorId: string;
  readonly note: string;
  readonly endedAt: Date;
}

/** The commit destroys its key. False: already ended, or another size. */
export function insertLogEnd(tx: Tx, end: LogEnding): Promise<boolean> {
  return changed(
    tx,
    `update logs set ended_at = $3, end_note = $4, successor_id = $5, private_key_sealed = '',
            mldsa44_seed_sealed = case when mldsa44_seed_sealed is not null then ''::bytea end
      where log_id = $1 and tree_size = $2 and ended_at is null`,
    [end.logId, end.treeSize, end.endedAt.toISOString(), end.note, end.successorId],
    'insert_log_end',
  );
}

/** When the log of an unsealed message ended; undefined: it has not ended. */
export async function findEndOf(
  q: Queryable,
  tenantId: string,
  messageId: string,
): Promise<{ origin: string; endedAt: Date } | undefined> {
  const [row] = await q.query<{ origin: string; endedAt: Date }>(
    `select g.origin, g.ended_at as "endedAt"
       from (select log_id from pending_leaves where tenant_id = $1 and leaf_id = $2
              union all
             select log_id from leaves where tenant_id = $1 and leaf_id = $2) place
       join logs g on g.log_id = place.log_id
      where g.ended_at is not null`,
    [tenantId, messageId],
    'find_end_of',
  );
  return row;
}

export async function isSandboxLog(q: Queryable, logId: string): Promise<boolean> {
  const [row] = await q.query<{ sandbox: boolean }>('select sandbox from logs where log_id = $1', [logId]);
  return row?.sandbox ?? false;
}
