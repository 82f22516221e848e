import { createServer } from 'node:net';
import { DEFAULT_POOL, type SourcePool } from '../../config/config-values.ts';

/**
 * The identity that we send under in direct mode: an EHLO name, and the addresses that connections leave
 * from. Accounts are assigned to a pool by the operator. Windows, pauses and open connections are each pool's
 * own, so that what a server holds against one does not affect another.
 */
export interface SourcePools {
  /** The pool of that name, null for the default one; undefined if this process does not have it. */
  find(assigned: string | null): SourcePool | undefined;
  /** Every name that we give ourselves. */
  readonly ehloNames: ReadonlySet<string>;
}

/**
 * Without a pool called `default` among those given, accounts without an assignment send under `hostname`
 * from whatever address the system takes.
 */
export function createSourcePools(given: readonly SourcePool[], hostname: string): SourcePools {
  const unbound: SourcePool = { name: DEFAULT_POOL, ehloName: hostname, v4: null, v6: null };
  const pools = new Map([unbound, ...given].map((pool) => [pool.name, pool]));
  return {
    find: (assigned) => pools.get(assigned ?? DEFAULT_POOL),
    ehloNames: new Set([hostname, ...[...pools.values()].map((pool) => pool.ehloName)]),
  };
}

/** The families in which a pool has an address; both where it leaves the choice to the system. */
export function familiesOf({ v4, v6 }: SourcePool): readonly (4 | 6)[] {
  if (v4 === null && v6 === null) return [6, 4];
  return [...(v6 === null ? [] : [6 as const]), ...(v4 === null ? [] : [4 as const])];
}

/** One window, and one set of open connections, of a pool to a destination. */
export function placeKey(destination: string, pool: string): string {
  return `${pool} ${destination}`;
}

/**
 * Throws where this machine does not have an address: every connection from it would fail, and look like the
 * fault of others.
 */
export async function requireOwnAddresses(pools: readonly SourcePool[]): Promise<void> {
  for (const { name, v4, v6 } of pools) {
    for (const address of [v4, v6]) if (address !== null) await requireOwnAddress(name, address);
  }
}

function requireOwnAddress(pool: string, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (cause) =>
      reject(
        new Error(`ACUSE_SOURCE_POOLS: ${pool}: this machine cannot send from ${address}: ${cause.message}`, {
          cause,
        }),
      ),
    );
    probe.listen(0, address, () => probe.close(() => resolve()));
  });
}
