import { equalBytes, SHA256_BYTES } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { emptyRoot, leafHash } from '@acuse/evidence/merkle';
import {
  appendLeaves,
  edgeTiles,
  TILE_WIDTH,
  type Tile,
  type TileReader,
  tilePath,
  treeRoot,
} from '@acuse/evidence/tiles';
import { sha256 } from '../../platform/sha256.ts';
import type { Alerts } from './alert.ts';
import type { LogClient } from './log-client.ts';

/** Rebuilds a log's tree from its entries, trusting nothing. */

/** Partial right-edge tiles by `level/index`: enough to append. */
export type Edge = ReadonlyMap<string, Uint8Array>;

interface Grown {
  readonly size: number;
  readonly edge: Edge;
}

export const NOTHING: Grown = { size: 0, edge: new Map() };

const BUNDLES_PER_STEP = 64;
const CONCURRENCY = 8;

export interface Reading {
  readonly client: LogClient;
  /** Called for entries in order: the index of the first, and 32 bytes each. */
  onEntries?(first: number, entries: Uint8Array): void;
  /** Called after each step, to resume from. */
  onStep?(grown: Grown): void;
  /** Absent: tiles are not compared. */
  readonly alerts?: Alerts;
}

/** Reads on to `size`; the caller compares the root. */
export async function readOn(reading: Reading, from: Grown, size: number): Promise<Grown> {
  let grown = from;
  while (grown.size < size) {
    const first = Math.floor(grown.size / TILE_WIDTH);
    const to = Math.min(size, (first + BUNDLES_PER_STEP) * TILE_WIDTH);
    const { entries, tiles, next } = await readStep(reading.client, grown, to);
    reading.onEntries?.(grown.size, entries);
    if (reading.alerts !== undefined) {
      // A partial tile is valid only at the tree's end.
      const settled = tiles.filter(({ width }) => width === TILE_WIDTH || next.size === size);
      await compareTiles(reading.client, settled, reading.alerts);
    }
    grown = next;
    reading.onStep?.(grown);
  }
  return grown;
}

async function readStep(
  client: LogClient,
  { size, edge }: Grown,
  to: number,
): Promise<{ entries: Uint8Array; tiles: readonly Tile[]; next: Grown }> {
  const first = Math.floor(size / TILE_WIDTH);
  const indexes = Array.from({ length: Math.ceil(to / TILE_WIDTH) - first }, (_, i) => first + i);
  const bundles = await mapSome(indexes, (index) =>
    client.entries(index, Math.min(TILE_WIDTH, to - index * TILE_WIDTH)),
  );
  const skip = (size - first * TILE_WIDTH) * SHA256_BYTES;
  const entries = new Uint8Array(Buffer.concat(bundles).subarray(skip));
  const hashes = new Uint8Array(entries.length);
  for (let at = 0; at < entries.length; at += SHA256_BYTES)
    hashes.set(leafHash(entries.subarray(at, at + SHA256_BYTES), sha256), at);
  const { tiles, size: grownSize } = appendLeaves(size, hashes, readerOf(edge), sha256);
  const known = new Map(edge);
  for (const tile of tiles) known.set(tileKey(tile), tile.hashes);
  const nextEdge = new Map(edgeTiles(grownSize).map((ref) => [tileKey(ref), known.get(tileKey(ref))!]));
  return { entries, tiles, next: { size: grownSize, edge: nextEdge } };
}

export function rootOf({ size, edge }: Grown): Uint8Array {
  return size === 0 ? emptyRoot(sha256) : treeRoot(size, readerOf(edge), sha256);
}

export function readerOf(tiles: ReadonlyMap<string, Uint8Array>): TileReader {
  return (level, index) => tiles.get(tileKey({ level, index })) ?? new Uint8Array(0);
}

export function tileKey({ level, index }: { level: number; index: number }): string {
  return `${level}/${index}`;
}

async function compareTiles(client: LogClient, tiles: readonly Tile[], alerts: Alerts): Promise<void> {
  await mapSome(tiles, async (tile) => {
    try {
      if (!equalBytes(await client.tile(tile), tile.hashes))
        alerts.add('tile', `${tilePath(tile.level, tile.index, tile.width)} is not what the entries give`);
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      alerts.add('tile', error.detail);
    }
  });
}

/** Promise.all with limited concurrency; the first failure ends it. */
export async function mapSome<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, worker));
  return results;
}
