import type { Queryable, Tx } from '../../platform/database/db.ts';
import {
  STAMP_COLUMNS,
  type StampColumns,
  selectStamp,
  stampParameters,
  stampValues,
} from '../stamp/stamp-columns.ts';

interface BatchKey {
  readonly logId: string;
  readonly treeSize: number;
}

export interface ClaimedRenewal extends BatchKey, StampColumns {
  readonly previousTreeSize: number;
  readonly note: string;
}

/** Leases constancias that end before `dueBefore`, earliest first. */
export async function claimRenewals(
  q: Queryable,
  claim: { dueBefore: Date; now: Date; leasedUntil: Date; limit: number },
): Promise<ClaimedRenewal[]> {
  return q.query<ClaimedRenewal>(
    `with due as materialized (
       select log_id, tree_size from certificates
        where covered_until < $1 and (renewing_until is null or renewing_until <= $2)
        order by covered_until, tree_size limit $4 for update skip locked
     )
     update certificates c set renewing_until = $3
       from due join checkpoints p on p.log_id = due.log_id and p.tree_size = due.tree_size
      where c.log_id = due.log_id and c.tree_size = due.tree_size
     returning c.log_id as "logId", c.tree_size as "treeSize", p.previous_tree_size as "previousTreeSize",
       p.note, ${selectStamp('c')}`,
    [claim.dueBefore.toISOString(), claim.now.toISOString(), claim.leasedUntil.toISOString(), claim.limit],
    'claim_renewals',
  );
}

/** Extends leases that are unchanged; returns how many. */
export function extendRenewals(
  q: Queryable,
  batches: readonly BatchKey[],
  leasedUntil: Date,
  until: Date,
): Promise<number> {
  return q.execute(
    `update certificates c set renewing_until = $4
       from unnest($1::uuid[], $2::bigint[]) as w (log_id, tree_size)
      where c.log_id = w.log_id and c.tree_size = w.tree_size and c.renewing_until = $3`,
    [
      batches.map(({ logId }) => logId),
      batches.map(({ treeSize }) => treeSize),
      leasedUntil.toISOString(),
      until.toISOString(),
    ],
    'extend_renewals',
  );
}

export interface RenewalRow extends BatchKey, StampColumns {
  readonly ordinal: number;
  readonly renewalStampId: string;
  readonly sums: string;
  /** Null: the stamp covers the sums directly. */
  readonly list: string | null;
}

export async function readRenewals(q: Queryable, batches: readonly BatchKey[]): Promise<RenewalRow[]> {
  return q.query<RenewalRow>(
    `select r.log_id as "logId", r.tree_size as "treeSize", r.ordinal, r.renewal_stamp_id as "renewalStampId", r.sums, s.list,
            ${selectStamp('s')}
       from unnest($1::uuid[], $2::bigint[]) as w (log_id, tree_size)
       join renewals r on r.log_id = w.log_id and r.tree_size = w.tree_size
       join renewal_stamps s on s.renewal_stamp_id = r.renewal_stamp_id
      order by r.log_id, r.tree_size, r.ordinal`,
    [batches.map(({ logId }) => logId), batches.map(({ treeSize }) => treeSize)],
    'read_renewals',
  );
}

export async function insertRenewalStamp(
  tx: Tx,
  stamp: StampColumns & { renewalStampId: string; list: string | null; createdAt: Date },
): Promise<void> {
  await tx.execute(
    `insert into renewal_stamps (renewal_stamp_id, list, created_at, ${STAMP_COLUMNS})
     values ($1, $2, $3, ${stampParameters(4)})`,
    [stamp.renewalStampId, stamp.list, stamp.createdAt.toISOString(), ...stampValues(stamp)],
    'insert_renewal_stamp',
  );
}

export async function deleteRenewalStamp(tx: Tx, renewalStampId: string): Promise<void> {
  await tx.execute(
    'delete from renewal_stamps where renewal_stamp_id = $1',
    [renewalStampId],
    'delete_renewal_stamp',
  );
}

interface NewRenewal extends BatchKey {
  readonly ordinal: number;
  readonly sums: string;
}

/** Adds renewals to batches still leased, and updates their ends. Returns which. */
export async function insertRenewals(
  tx: Tx,
  renewals: readonly NewRenewal[],
  added: { renewalStampId: string; leasedUntil: Date; coveredUntil: Date },
): Promise<BatchKey[]> {
  return tx.query<BatchKey>(
    `with held as (
       update certificates c set covered_until = $7, renewing_until = null
         from unnest($1::uuid[], $2::bigint[]) as w (log_id, tree_size)
        where c.log_id = w.log_id and c.tree_size = w.tree_size and c.renewing_until = $6
       returning c.log_id, c.tree_size
     )
     insert into renewals (log_id, tree_size, ordinal, renewal_stamp_id, sums)
     select w.log_id, w.tree_size, w.ordinal, $5, w.sums
       from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::text[]) as w (log_id, tree_size, ordinal,
         sums)
       join held using (log_id, tree_size)
     returning log_id as "logId", tree_size as "treeSize"`,
    [
      renewals.map(({ logId }) => logId),
      renewals.map(({ treeSize }) => treeSize),
      renewals.map(({ ordinal }) => ordinal),
      renewals.map(({ sums }) => sums),
      added.renewalStampId,
      added.leasedUntil.toISOString(),
      added.coveredUntil.toISOString(),
    ],
    'insert_renewals',
  );
}

/** Releases batches until `until` (null: now). `coveredUntil`: stored. */
export async function releaseRenewals(
  q: Queryable,
  batches: readonly (BatchKey & { coveredUntil: Date | null })[],
  leasedUntil: Date,
  until: Date | null,
): Promise<void> {
  if (batches.length === 0) return;
  await q.execute(
    `update certificates c set renewing_until = $5, covered_until = coalesce(w.covered_until, c.covered_until)
       from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as w (log_id, tree_size, covered_until)
      where c.log_id = w.log_id and c.tree_size = w.tree_size and c.renewing_until = $4`,
    [
      batches.map(({ logId }) => logId),
      batches.map(({ treeSize }) => treeSize),
      batches.map(({ coveredUntil }) => coveredUntil?.toISOString() ?? null),
      leasedUntil.toISOString(),
      until?.toISOString() ?? null,
    ],
    'release_renewals',
  );
}

export async function countRenewedLeaves(
  q: Queryable,
  ranges: readonly { logId: string; previousTreeSize: number; treeSize: number }[],
): Promise<[tenantId: string, leaves: number][]> {
  const rows = await q.query<{ tenantId: string; leaves: number }>(
    `select l.tenant_id as "tenantId", count(*) as leaves
       from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as w (log_id, first, size)
       join leaves l on l.log_id = w.log_id and l.leaf_index >= w.first and l.leaf_index < w.size
      group by l.tenant_id order by l.tenant_id`,
    [
      ranges.map(({ logId }) => logId),
      ranges.map(({ previousTreeSize }) => previousTreeSize),
      ranges.map(({ treeSize }) => treeSize),
    ],
    'count_renewed_leaves',
  );
  return rows.map(({ tenantId, leaves }) => [tenantId, leaves]);
}

export async function readFirstEnd(q: Queryable): Promise<Date | null> {
  const [row] = await q.query<{ firstEnd: Date | null }>(
    `select min(covered_until) as "firstEnd" from certificates where covered_until > '-infinity'`,
    [],
    'read_first_end',
  );
  return row?.firstEnd ?? null;
}

export interface CoverState {
  readonly constancias: number;
  readonly renewals: number;
  readonly firstEnd: Date | null;
  readonly due: number;
  readonly putOff: number;
  /** Ended: no longer renewable. */
  readonly lapsed: number;
}

/** Most that a status counts, by an index alone. */
export const CONSTANCIAS_COUNTED_MAX = 100_000;

export async function readCover(q: Queryable, at: { now: Date; dueBefore: Date }): Promise<CoverState> {
  const upTo = (rows: string) => `(select count(*) from (select 1 from ${rows} limit $3) counted)`;
  const [row] = await q.query<CoverState>(
    `select ${upTo('certificates')} as constancias, ${upTo('renewals')} as renewals,
            (select min(covered_until) from certificates where covered_until > '-infinity') as "firstEnd",
            ${upTo('certificates where covered_until < $1')} as due,
            ${upTo('certificates where covered_until < $1 and renewing_until > $2')} as "putOff",
            ${upTo("certificates where covered_until > '-infinity' and covered_until < $2")} as lapsed`,
    [at.dueBefore.toISOString(), at.now.toISOString(), CONSTANCIAS_COUNTED_MAX],
  );
  return row!;
}
