import type { Tx } from '../../platform/database/db.ts';
import type { VerifiedStamp } from './authorities.ts';
import { addCosts, type Cost, countLeavesByTenant } from './cost-store.ts';
import type { ClaimedStamp } from './stamp-store.ts';

/** Largest remainders first, then tenant order: exact and deterministic. */
export function shareCost(
  priceMicros: number,
  counts: readonly (readonly [tenantId: string, count: number])[],
): Map<string, number> {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const shares = counts.map(([tenantId, count]) => {
    // BigInt: a thousand pesos times 65 536 leaves exceed 2^53.
    const product = BigInt(priceMicros) * BigInt(count);
    return {
      tenantId,
      micros: Number(product / BigInt(total)),
      remainder: Number(product % BigInt(total)),
    };
  });
  const left = priceMicros - shares.reduce((sum, { micros }) => sum + micros, 0);
  const byRemainder = [...shares].sort(
    (a, b) => b.remainder - a.remainder || (a.tenantId < b.tenantId ? -1 : 1),
  );
  for (const share of byRemainder.slice(0, left)) share.micros++;
  return new Map(shares.map(({ tenantId, micros }) => [tenantId, micros]));
}

export function monthOfStamp({ facts }: VerifiedStamp): string {
  return `${facts.genTime.slice(0, 7)}-01`;
}

export async function chargeBatch(tx: Tx, claim: ClaimedStamp, stamp: VerifiedStamp): Promise<void> {
  if (stamp.priceMicros === 0) return;
  const counts = await countLeavesByTenant(tx, claim.logId, claim.previousTreeSize, claim.treeSize);
  const shares = shareCost(stamp.priceMicros, counts);
  const month = monthOfStamp(stamp);
  await addCosts(
    tx,
    counts.map(
      ([tenantId, items]): Cost => ({
        tenantId,
        month,
        kind: 'batch',
        authority: stamp.authority,
        items,
        costMicros: shares.get(tenantId)!,
      }),
    ),
  );
}
