import type { Tx } from '../../platform/database/db.ts';
import type { Bag } from './bag.ts';
import { addUsed, type BagCount, giveBack, lockRooms, takeRest, takeWhole } from './store.ts';

export function bagOf(certified: boolean): Bag {
  return certified ? 'certified' : 'plain';
}

export function bagKey(of: { tenantId: string; bag: Bag; month: string }): string {
  return `${of.tenantId} ${of.month} ${of.bag}`;
}

/**
 * Reserves within the storing transaction. Returns granted counts by bagKey: all, or the rest. Exact and free
 * of deadlock. `wants`: one entry per tenant, month and bag, each at least 1.
 */
export async function reserveQuota(tx: Tx, wants: readonly BagCount[]): Promise<Map<string, number>> {
  const granted = new Map(wants.map((want) => [bagKey(want), 0]));
  if (granted.size !== wants.length || wants.some((want) => want.count < 1)) {
    throw new RangeError('reserveQuota takes one entry a tenant, month and bag, of at least 1');
  }
  if (wants.length === 0) return granted;
  if (tx.distributed) {
    for (const row of await takeOnShards(tx, wants)) granted.set(bagKey(row), row.count);
    return granted;
  }

  const whole = new Set((await takeWhole(tx, wants)).map(bagKey));
  for (const want of wants) if (whole.has(bagKey(want))) granted.set(bagKey(want), want.count);
  if (whole.size === wants.length) return granted;

  const short = wants.filter((want) => !whole.has(bagKey(want)));
  for (const row of await takeRest(tx, short)) granted.set(bagKey(row), row.count);
  return granted;
}

/** Tenant by tenant, in order: each on its node. */
async function takeOnShards(tx: Tx, wants: readonly BagCount[]): Promise<BagCount[]> {
  const taken: BagCount[] = [];
  for (const tenantId of [...new Set(wants.map((want) => want.tenantId))].sort()) {
    const own = wants.filter((want) => want.tenantId === tenantId);
    for (const { month, bag, room } of await lockRooms(tx, tenantId, own)) {
      const { count } = own.find((want) => want.month === month && want.bag === bag)!;
      const some = { tenantId, month, bag, count: Math.min(count, Math.max(0, room)) };
      if (some.count > 0) addUsed(tx, some);
      taken.push(some);
    }
  }
  return taken;
}

export async function returnQuota(tx: Tx, counts: readonly BagCount[]): Promise<void> {
  const given = counts.filter((each) => each.count > 0);
  if (given.length > 0) await giveBack(tx, given);
}
