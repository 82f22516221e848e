import { createServer } from 'node:net';
import type { Config } from '../../config/config-type.ts';
import { DEFAULT_POOL, type SourcePool } from '../../config/config-values.ts';

/**
 * Identities for direct mail: an EHLO name and source addresses; a pool may have several. The operator
 * assigns accounts to pools. Windows, pauses and open connections are per identity, so that a bad reputation
 * stays with it.
 */
export interface SourcePools {
  /** Null: the default pool. Empty: not configured here. */
  find(assigned: string | null): readonly Source[];
  /** All our EHLO names. */
  readonly ehloNames: ReadonlySet<string>;
}

/** Without a `default` pool, unassigned accounts send as `hostname` from the system's choice of address. */
export function createSourcePools(given: readonly SourcePool[], hostname: string): SourcePools {
  const unbound: SourcePool = { name: DEFAULT_POOL, ehloName: hostname, v4: null, v6: null };
  const all = given.some(({ name }) => name === DEFAULT_POOL) ? given : [unbound, ...given];
  const sources = new Map(
    all.map(({ name }) => {
      const of = all.filter((pool) => pool.name === name);
      return [
        name,
        of.map((pool) => ({ ...pool, key: of.length === 1 ? name : `${name}/${pool.ehloName}` })),
      ] as const;
    }),
  );
  return {
    find: (assigned) => sources.get(assigned ?? DEFAULT_POOL) ?? [],
    ehloNames: new Set([hostname, ...all.map((pool) => pool.ehloName)]),
  };
}

export interface Source extends SourcePool {
  /** Key of its windows: the pool's name, and the EHLO name where the pool has several. */
  readonly key: string;
}

/** True if a window belongs to the pool. */
export function isOfPool(key: string, pool: string): boolean {
  return key === pool || key.startsWith(`${pool}/`);
}

/** Names that caps may use. */
export function knownSources({ sourcePools, hostname }: Pick<Config, 'sourcePools' | 'hostname'>) {
  const given = sourcePools ?? [];
  return {
    pools: new Set([DEFAULT_POOL, ...given.map(({ name }) => name)]),
    names: new Set([hostname, ...given.map(({ ehloName }) => ehloName)]),
  };
}

export function familiesOf({ v4, v6 }: SourcePool): readonly (4 | 6)[] {
  if (v4 === null && v6 === null) return [6, 4];
  return [...(v6 === null ? [] : [6 as const]), ...(v4 === null ? [] : [4 as const])];
}

export function placeKey(destination: string, pool: string): string {
  return `${pool} ${destination}`;
}

/** Throws for an address that this machine lacks: all connections would fail as if by the peer's fault. */
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
