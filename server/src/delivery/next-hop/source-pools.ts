import { createServer } from 'node:net';
import { DEFAULT_POOL, type SourcePool } from '../../config/config-values.ts';

/**
 * Identities for direct mail: an EHLO name and source addresses. The operator assigns accounts to pools.
 * Windows, pauses and open connections are per pool, so that a bad reputation stays with its pool.
 */
export interface SourcePools {
  /** Null: the default pool; undefined: not configured here. */
  find(assigned: string | null): SourcePool | undefined;
  /** All our EHLO names. */
  readonly ehloNames: ReadonlySet<string>;
}

/** Without a `default` pool, unassigned accounts send as `hostname` from the system's choice of address. */
export function createSourcePools(given: readonly SourcePool[], hostname: string): SourcePools {
  const unbound: SourcePool = { name: DEFAULT_POOL, ehloName: hostname, v4: null, v6: null };
  const pools = new Map([unbound, ...given].map((pool) => [pool.name, pool]));
  return {
    find: (assigned) => pools.get(assigned ?? DEFAULT_POOL),
    ehloNames: new Set([hostname, ...[...pools.values()].map((pool) => pool.ehloName)]),
  };
}

/** Address families of a pool; both if the system chooses. */
export function familiesOf({ v4, v6 }: SourcePool): readonly (4 | 6)[] {
  if (v4 === null && v6 === null) return [6, 4];
  return [...(v6 === null ? [] : [6 as const]), ...(v4 === null ? [] : [4 as const])];
}

/** Key of a pool's window and sessions for a destination. */
export function placeKey(destination: string, pool: string): string {
  return `${pool} ${destination}`;
}

/** Throws for an address that this machine lacks: every connection would fail, as if by the peer's fault. */
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
