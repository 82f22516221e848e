import type { Tx } from '../../platform/database/db.ts';
import type { VerifiedStamp } from './authorities.ts';
import { addCosts, type Cost, countLeavesByTenant } from './cost-store.ts';
import type { ClaimedStamp } from './stamp-store.ts';

/** What constancias cost, and which accounts: every millionth of a cent is assigned. */

/**
 * Shares a price in proportion to counts: largest remainders first, in the tenants' order, so that the shares
 * add up to the price and come out the same each time.
 */
export function shareCost(
  priceMicros: number,
  counts: readonly (readonly [tenantId: string, count: number])[],
): Map<string, number> {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const shares = counts.map(([tenantId, count]) => {
    // In whole numbers throughout: a price of a thousand pesos times 65 536 leaves passes 2^53.
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

/** Shares the price of a batch's constancia between the tenants whose leaves are in it. */
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
