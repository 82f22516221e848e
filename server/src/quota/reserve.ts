import type { Tx } from '../platform/db.ts';
import { monthOf } from './bag.ts';
import { type BagCount, giveBack, takeRest, takeWhole } from './store.ts';

/**
 * Takes from the monthly bags within the transaction that stores the messages, so that a send which is not stored costs
 * nothing. Returns how many were granted, in the order of `wants`: all of them, or as many as were left. Exact across
 * connections and processes. `wants`: one entry a tenant and bag.
 */
export async function reserveQuota(tx: Tx, wants: readonly BagCount[], at: Date): Promise<number[]> {
  if (new Set(wants.map(keyOf)).size !== wants.length)
    throw new RangeError('reserveQuota takes one entry a tenant and bag');
  if (wants.length === 0) return [];
  const month = monthOf(at);
  const taken = new Set((await takeWhole(tx, month, wants)).map(keyOf));
  if (taken.size === wants.length) return wants.map((want) => want.count);

  const rest = await takeRest(
    tx,
    month,
    wants.filter((want) => !taken.has(keyOf(want))),
  );
  const granted = new Map(rest.map((row) => [keyOf(row), row.count]));
  return wants.map((want) => (taken.has(keyOf(want)) ? want.count : (granted.get(keyOf(want)) ?? 0)));
}

/** Gives back part of what the same transaction reserved. */
export async function returnQuota(tx: Tx, counts: readonly BagCount[], at: Date): Promise<void> {
  const given = counts.filter((each) => each.count > 0);
  if (given.length > 0) await giveBack(tx, monthOf(at), given);
}

function keyOf(want: { tenantId: string; bag: string }): string {
  return `${want.tenantId} ${want.bag}`;
}
