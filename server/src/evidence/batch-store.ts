import type { Queryable } from '../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../platform/http/created-query.ts';

export interface BatchRow {
  readonly batchId: string;
  readonly origin: string;
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly rootHash: Uint8Array;
  readonly createdAt: Date;
  readonly certificateId: string | null;
  readonly profile: 'nom151' | 'rfc3161' | 'development' | null;
  readonly issuer: string | null;
  readonly genTime: Date | null;
  /** End of the first certificate in its chain, renewals included. */
  readonly coveredUntil: Date | null;
  readonly cosignatures: number;
}

export function listBatches(
  db: Queryable,
  created: CreatedRange,
  range: IdRange,
  limit: number,
): Promise<BatchRow[]> {
  return db.query<BatchRow>(
    `select c.batch_id as "batchId", l.origin, c.tree_size as "treeSize",
            c.previous_tree_size as "previousTreeSize", c.root_hash as "rootHash",
            c.created_at as "createdAt", s.certificate_id as "certificateId", s.profile, s.issuer,
            s.gen_time as "genTime", nullif(s.covered_until, '-infinity') as "coveredUntil",
            (select count(*)::integer from cosignatures w
              where w.log_id = c.log_id and w.tree_size = c.tree_size) as cosignatures
       from checkpoints c join logs l using (log_id)
       left join certificates s on s.log_id = c.log_id and s.tree_size = c.tree_size
      where c.batch_id >= $1 and c.batch_id < $2
        and ($3::timestamptz is null or c.created_at >= $3)
        and ($4::timestamptz is null or c.created_at < $4)
      order by c.batch_id desc limit $5`,
    [
      ...[range.from, range.below],
      ...[created.createdAfter?.toISOString() ?? null, created.createdBefore?.toISOString() ?? null],
      limit,
    ],
  );
}

export interface WitnessRow {
  readonly origin: string;
  readonly vkey: string;
  readonly treeSize: number;
  readonly failures: number;
  readonly lastError: string | null;
  readonly dueAt: Date;
  readonly cosignedAt: Date | null;
}

export function listWitnesses(db: Queryable): Promise<WitnessRow[]> {
  return db.query<WitnessRow>(
    `select l.origin, w.witness_key as vkey, w.tree_size as "treeSize", w.failures,
            w.last_error as "lastError", w.due_at as "dueAt", w.cosigned_at as "cosignedAt"
       from witnesses w join logs l using (log_id) order by l.origin, w.witness_key`,
  );
}
