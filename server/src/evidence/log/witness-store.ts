import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

export async function insertWitnesses(
  q: Queryable,
  logId: string,
  vkeys: readonly string[],
  now: Date,
): Promise<void> {
  await q.execute(
    `insert into witnesses (log_id, witness_key, due_at)
     select $1, vkey, $3 from unnest($2::text[]) as vkey
     on conflict do nothing`,
    [logId, vkeys, now.toISOString()],
    'insert_witnesses',
  );
}

/** Due witnesses that lack the newest checkpoint. */
export async function findWitnessesDue(
  q: Queryable,
  logId: string,
  vkeys: readonly string[],
  now: Date,
): Promise<string[]> {
  const rows = await q.query<{ vkey: string }>(
    `select w.witness_key as vkey
       from witnesses w
      where w.log_id = $1 and w.witness_key = any ($2::text[]) and w.due_at <= $3
        and exists (select 1 from logs l where l.log_id = w.log_id and l.published_size > w.tree_size
                       and l.stopped_at is null)`,
    [logId, vkeys, now.toISOString()],
    'find_witnesses_due',
  );
  return rows.map(({ vkey }) => vkey);
}

export interface WitnessClaim {
  readonly logId: string;
  readonly vkey: string;
  readonly knownSize: number;
  readonly attempt: number;
  readonly failures: number;
}

/** Leases a witness: nobody else asks it meanwhile. */
export async function claimWitness(
  q: Queryable,
  logId: string,
  vkey: string,
  now: Date,
  leasedUntil: Date,
): Promise<WitnessClaim[]> {
  return q.query<WitnessClaim>(
    `update witnesses w
        set attempt = w.attempt + 1, due_at = $4
      where (w.log_id, w.witness_key) in (
              select log_id, witness_key from witnesses
               where log_id = $1 and witness_key = $2 and due_at <= $3
                 for update skip locked)
     returning w.log_id as "logId", w.witness_key as vkey, w.tree_size as "knownSize", w.attempt, w.failures`,
    [logId, vkey, now.toISOString(), leasedUntil.toISOString()],
    'claim_witness',
  );
}

/** Extends leases still held, expired or not; returns their keys. A missing one is lost. */
export async function extendWitnesses(
  q: Queryable,
  held: readonly WitnessClaim[],
  leasedUntil: Date,
): Promise<Set<string>> {
  const rows = await q.query<{ vkey: string }>(
    `update witnesses w set due_at = $4
       from unnest($1::uuid[], $2::text[], $3::integer[]) as h (log_id, witness_key, attempt)
      where w.log_id = h.log_id and w.witness_key = h.witness_key and w.attempt = h.attempt
     returning w.witness_key as vkey`,
    [
      held.map(({ logId }) => logId),
      held.map(({ vkey }) => vkey),
      held.map(({ attempt }) => attempt),
      leasedUntil.toISOString(),
    ],
    'extend_witnesses',
  );
  return new Set(rows.map(({ vkey }) => vkey));
}

/** Ends all leases and pauses. */
export async function freeWitnesses(tx: Tx): Promise<void> {
  await tx.execute('update witnesses set due_at = now() where due_at > now()');
}

interface CheckpointToWitness {
  readonly treeSize: number;
  readonly note: string;
}

export async function findCheckpointAfter(
  q: Queryable,
  logId: string,
  size: number,
): Promise<CheckpointToWitness | undefined> {
  const [row] = await q.query<CheckpointToWitness>(
    `select tree_size as "treeSize", note from checkpoints
      where log_id = $1 and tree_size > $2
        and tree_size <= (select published_size from logs where log_id = $1)
      order by tree_size
      limit 1`,
    [logId, size],
    'find_checkpoint_after',
  );
  return row;
}

export async function findNewestCheckpoint(
  q: Queryable,
  logId: string,
): Promise<CheckpointToWitness | undefined> {
  const [row] = await q.query<CheckpointToWitness>(
    `select tree_size as "treeSize", note from checkpoints
      where log_id = $1 and tree_size <= (select published_size from logs where log_id = $1)
      order by tree_size desc limit 1`,
    [logId],
    'find_newest_checkpoint',
  );
  return row;
}

interface NewCosignature {
  readonly logId: string;
  readonly treeSize: number;
  readonly vkey: string;
  readonly line: string;
  readonly witnessedAt: Date;
}

/** The first cosignature per checkpoint is kept. */
export async function insertCosignature(tx: Tx, cosignature: NewCosignature): Promise<void> {
  await tx.execute(
    `insert into cosignatures (log_id, tree_size, witness_key, line, witnessed_at)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [
      cosignature.logId,
      cosignature.treeSize,
      cosignature.vkey,
      cosignature.line,
      cosignature.witnessedAt.toISOString(),
    ],
    'insert_cosignature',
  );
}

/** Records `treeSize`, whoever asked; it may be asked again. False: the lease was lost. */
export function advanceWitness(
  tx: Tx,
  claim: WitnessClaim,
  treeSize: number,
  cosignedAt: Date | null,
  dueAt: Date,
): Promise<boolean> {
  return changed(
    tx,
    `update witnesses
        set tree_size = greatest(tree_size, $4), due_at = $6, failures = 0, last_error = null,
          cosigned_at = coalesce($5, cosigned_at)
      where log_id = $1 and witness_key = $2 and attempt = $3`,
    [
      claim.logId,
      claim.vkey,
      claim.attempt,
      treeSize,
      cosignedAt?.toISOString() ?? null,
      dueAt.toISOString(),
    ],
    'advance_witness',
  );
}

export async function postponeWitness(
  tx: Tx,
  claim: WitnessClaim,
  dueAt: Date,
  lastError: string,
): Promise<void> {
  await tx.execute(
    `update witnesses set due_at = $4, failures = failures + 1, last_error = $5
      where log_id = $1 and witness_key = $2 and attempt = $3`,
    [claim.logId, claim.vkey, claim.attempt, dueAt.toISOString(), lastError],
    'postpone_witness',
  );
}
