import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';
import { LEASE_END } from '../../platform/queue/leases.ts';
import { STAMP_COLUMNS, type StampColumns, stampParameters, stampValues } from './stamp-columns.ts';

/** A process stamps its own log, and others begun in the same mode. */
export interface StampedLogs {
  readonly ownLogId: string;
  readonly sandbox: boolean;
}

/** `of` null: any log. */
export async function findLogsWithStampsDue(
  q: Queryable,
  of: StampedLogs | null,
  now: Date,
): Promise<string[]> {
  const rows = await q.query<{ logId: string }>(
    `select distinct s.log_id as "logId" from stamp_queue s join logs l using (log_id)
      where coalesce(s.leased_until <= now(), s.due_at <= $1) and ($2::uuid is null or s.log_id = $2 or
        l.sandbox = $3)`,
    [now.toISOString(), of?.ownLogId ?? null, of?.sandbox ?? false],
    'find_logs_with_stamps_due',
  );
  return rows.map((row) => row.logId);
}

export interface ClaimedStamp {
  readonly logId: string;
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly attempt: number;
  readonly batchId: string;
  readonly rootHash: Uint8Array;
  readonly note: string;
  readonly checkpointCreatedAt: Date;
}

/** Leases due checkpoints, oldest first. */
export async function claimStamps(
  q: Queryable,
  logId: string,
  limit: number,
  now: Date,
): Promise<ClaimedStamp[]> {
  return q.query<ClaimedStamp>(
    `update stamp_queue s
        set attempt = s.attempt + 1, leased_until = ${LEASE_END}, due_at = ${LEASE_END}
       from checkpoints c
      where (s.log_id, s.tree_size) in (
              select log_id, tree_size from stamp_queue
               where log_id = $1 and coalesce(leased_until <= now(), due_at <= $3)
               order by tree_size
               limit $2
                 for update skip locked)
        and c.log_id = s.log_id and c.tree_size = s.tree_size
     returning s.log_id as "logId", s.tree_size as "treeSize", c.previous_tree_size as "previousTreeSize",
       s.attempt,
               c.batch_id as "batchId", c.root_hash as "rootHash", c.note,
                 c.created_at as "checkpointCreatedAt"`,
    [logId, limit, now.toISOString()],
    'claim_stamps',
  );
}

/** Each attempt is a new claim. */
export const stampKey = ({ logId, treeSize }: Pick<ClaimedStamp, 'logId' | 'treeSize'>): string =>
  `${logId} ${treeSize}`;

/** Extends leases still held, expired or not; returns their keys. A missing one is lost. */
export async function extendStamps(q: Queryable, held: readonly ClaimedStamp[]): Promise<Set<string>> {
  const rows = await q.query<ClaimedStamp>(
    `update stamp_queue s set leased_until = ${LEASE_END}, due_at = ${LEASE_END}
       from unnest($1::uuid[], $2::bigint[], $3::integer[]) as h (log_id, tree_size, attempt)
      where s.log_id = h.log_id and s.tree_size = h.tree_size and s.attempt = h.attempt
        and s.leased_until is not null
     returning s.log_id as "logId", s.tree_size as "treeSize"`,
    [
      held.map(({ logId }) => logId),
      held.map(({ treeSize }) => treeSize),
      held.map(({ attempt }) => attempt),
    ],
    'extend_stamps',
  );
  return new Set(rows.map(stampKey));
}

export async function freeStamps(tx: Tx): Promise<void> {
  await tx.execute(
    'update stamp_queue set due_at = now(), leased_until = null where leased_until is not null',
  );
}

/** False: the lease was lost, nothing may be written. */
export function finishStamp(tx: Tx, claim: ClaimedStamp): Promise<boolean> {
  return changed(
    tx,
    'delete from stamp_queue where log_id = $1 and tree_size = $2 and attempt = $3',
    [claim.logId, claim.treeSize, claim.attempt],
    'finish_stamp',
  );
}

export async function postponeStamp(
  tx: Tx,
  claim: ClaimedStamp,
  dueAt: Date,
  lastError: string,
): Promise<void> {
  await tx.execute(
    `update stamp_queue set due_at = $4, leased_until = null, last_error = $5
      where log_id = $1 and tree_size = $2 and attempt = $3`,
    [claim.logId, claim.treeSize, claim.attempt, dueAt.toISOString(), lastError],
    'postpone_stamp',
  );
}

interface NewStamp extends StampColumns {
  readonly stampId: string;
  readonly logId: string;
  readonly treeSize: number;
  readonly coveredUntil: Date;
  readonly createdAt: Date;
}

export async function insertStamp(tx: Tx, stamp: NewStamp): Promise<void> {
  await tx.execute(
    `insert into certificates (certificate_id, log_id, tree_size, covered_until, created_at, ${STAMP_COLUMNS})
     values ($1, $2, $3, $4, $5, ${stampParameters(6)})`,
    [
      stamp.stampId,
      stamp.logId,
      stamp.treeSize,
      stamp.coveredUntil.toISOString(),
      stamp.createdAt.toISOString(),
      ...stampValues(stamp),
    ],
    'insert_stamp',
  );
}

export interface SealedMessage {
  readonly tenantId: string;
  readonly messageId: string;
}

/** A batch's message leaves in log order, without outcomes. */
export async function readBatchMessages(
  tx: Tx,
  logId: string,
  treeSize: number,
  fromIndex: number,
  limit: number,
): Promise<(SealedMessage & { leafIndex: number })[]> {
  return tx.query(
    `select l.tenant_id as "tenantId", l.message_id as "messageId", l.leaf_index as "leafIndex"
       from leaves l
       join leaf_contents c on c.tenant_id = l.tenant_id and c.leaf_id = l.leaf_id and c.kind = 'message'
      where l.log_id = $1 and l.leaf_index >= $3 and l.leaf_index < $2
      order by l.leaf_index
      limit $4`,
    [logId, treeSize, fromIndex, limit],
    'read_batch_messages',
  );
}
