import type { Queryable, Tx } from '../../platform/database/db.ts';
import { changed } from '../../platform/database/rows.ts';

/** All null: the log has no second key. */
export interface SecondKeyColumns {
  readonly mldsa44PublicKey: Uint8Array | null;
  /** Empty: ended, key destroyed. */
  readonly mldsa44SeedSealed: Uint8Array | null;
  readonly mldsa44From: Date | null;
}

export type NewSecondKey = {
  readonly [column in keyof SecondKeyColumns]: NonNullable<SecondKeyColumns[column]>;
} & { readonly logId: string };

/** False: it has one, or has ended. */
export function insertSecondKey(tx: Tx, key: NewSecondKey): Promise<boolean> {
  return changed(
    tx,
    `update logs set mldsa44_public_key = $2, mldsa44_seed_sealed = $3, mldsa44_from = $4
      where log_id = $1 and mldsa44_public_key is null and ended_at is null`,
    [key.logId, key.mldsa44PublicKey, key.mldsa44SeedSealed, key.mldsa44From.toISOString()],
    'insert_second_key',
  );
}

/** Checkpoints that no time-stamp covers yet, published or not. */
export async function countUnstamped(q: Queryable, logId: string): Promise<number> {
  const [row] = await q.query<{ waiting: number }>(
    `select (select count(*) from stamp_queue where log_id = $1)
            + (select count(*) from checkpoints c
                where c.log_id = $1
                  and c.tree_size > (select published_size from logs where log_id = $1)) as waiting`,
    [logId],
    'count_unstamped',
  );
  return Number(row?.waiting ?? 0);
}
