import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { equalBytes, SHA256_BYTES } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { leafHash } from '@acuse/evidence/merkle';
import { appendLeaves, edgeTiles, TILE_WIDTH, type TileReader, treeRoot } from '@acuse/evidence/tiles';
import { type VerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { ed25519 } from '../../../platform/ed25519.ts';
import { sha256 } from '../../../platform/sha256.ts';
import type { HeldLog } from '../anchor/compare.ts';
import type { TileRow } from '../log-store.ts';
import type { MirroredCheckpoint } from './block.ts';
import type { Mirror } from './mirror.ts';

/** The mirror lacks published leaves, or has different ones. */
export class MirrorWrong extends Error {
  override readonly name = 'MirrorWrong';
  readonly kind: 'lacks' | 'contradicts';
  constructor(kind: 'lacks' | 'contradicts', message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface Reading {
  /** The tree to continue: its size and right-edge tiles. */
  readonly from: { readonly size: number; readonly edge: readonly TileRow[] };
  readonly upTo: string;
  onLeaves?(read: ReadLeaves): Promise<void>;
}

export interface ReadLeaves {
  readonly first: number;
  readonly entries: Uint8Array;
  readonly tiles: readonly TileRow[];
  /** Each signed by the log, with the leaves' root. */
  readonly checkpoints: readonly MirroredCheckpoint[];
}

/**
 * Reads and verifies leaves: every checkpoint must be signed, match the leaves' root and follow its
 * predecessor, and the last must be `upTo`. Throws MirrorWrong, MirrorUnreachable.
 */
export async function readMirror(mirror: Mirror, log: HeldLog, reading: Reading): Promise<void> {
  const key = verifierKey(log.origin, log.publicKey, sha256);
  const { size: to } = openCheckpoint(reading.upTo, [key], ed25519).checkpoint;
  const tree = createTree(reading.from.size, reading.from.edge);
  let last = tree.size();
  for (let at = tree.size(); at < to; ) {
    const index = Math.floor(at / TILE_WIDTH);
    const end = Math.min(to, (index + 1) * TILE_WIDTH);
    const block = await mirror.read(log.origin, index, end - index * TILE_WIDTH);
    if (block === null) throw lacks(log, mirror, at, end);
    const entries = block.entries.subarray(
      (at % TILE_WIDTH) * SHA256_BYTES,
      (end - index * TILE_WIDTH) * SHA256_BYTES,
    );
    const checkpoints = block.checkpoints.filter(({ treeSize }) => treeSize > at && treeSize <= end);
    const tiles = new Map<string, TileRow>();
    let done = at;
    for (const checkpoint of checkpoints) {
      const root = tree.append(
        entries.subarray((done - at) * SHA256_BYTES, (checkpoint.treeSize - at) * SHA256_BYTES),
        tiles,
      );
      done = checkpoint.treeSize;
      const fault = faultOf(checkpoint, { key, root, last });
      if (fault !== null) throw contradicts(log, mirror, `its checkpoint of ${done} leaves ${fault}`);
      last = done;
    }
    if (done < end) tree.append(entries.subarray((done - at) * SHA256_BYTES), tiles);
    await reading.onLeaves?.({ first: at, entries, tiles: [...tiles.values()], checkpoints });
    at = end;
    await yieldToOthers();
  }
  if (last !== to) throw contradicts(log, mirror, `it has no checkpoint of ${to} leaves`);
  if (!equalBytes(tree.root(), openCheckpoint(reading.upTo, [key], ed25519).checkpoint.rootHash))
    throw contradicts(log, mirror, `its ${to} leaves do not give the root that was published`);
}

function faultOf(
  { note, treeSize, previousTreeSize }: MirroredCheckpoint,
  { key, root, last }: { readonly key: VerifierKey; readonly root: Uint8Array; readonly last: number },
): string | null {
  if (previousTreeSize !== last)
    return `follows ${previousTreeSize} leaves, and the one before it is of ${last}`;
  try {
    const { size, rootHash } = openCheckpoint(note, [key], ed25519).checkpoint;
    if (size !== treeSize) return `is signed for ${size}`;
    return equalBytes(rootHash, root) ? null : 'has another root than its leaves give';
  } catch {
    return 'is not signed by the key of this log';
  }
}

const lacks = (log: HeldLog, mirror: Mirror, from: number, end: number) =>
  new MirrorWrong(
    'lacks',
    `log ${log.origin}: the mirror at ${mirror.place} lacks leaves ${from} to ${end - 1}, or their file cannot be read`,
  );

const contradicts = (log: HeldLog, mirror: Mirror, what: string) =>
  new MirrorWrong('contradicts', `log ${log.origin}: the mirror at ${mirror.place} is wrong: ${what}`);

const tileKey = (level: number, index: number) => `${level}/${index}`;

/** A growing tree that keeps only its right edge. */
function createTree(from: number, edgeRows: readonly TileRow[]) {
  let edge = new Map(edgeRows.map(({ level, index, hashes }) => [tileKey(level, index), hashes]));
  const readTile: TileReader = (level, index) => edge.get(tileKey(level, index)) ?? new Uint8Array(0);
  let size = from;
  let root = treeRoot(size, readTile, sha256);

  return {
    size: () => size,
    root: () => root,
    append(entries: Uint8Array, touched: Map<string, TileRow>): Uint8Array {
      const hashes = new Uint8Array(entries.length);
      for (let at = 0; at < entries.length; at += SHA256_BYTES)
        hashes.set(leafHash(entries.subarray(at, at + SHA256_BYTES), sha256), at);
      const grown = appendLeaves(size, hashes, readTile, sha256);
      for (const tile of grown.tiles) {
        touched.set(tileKey(tile.level, tile.index), tile);
        edge.set(tileKey(tile.level, tile.index), tile.hashes);
      }
      size = grown.size;
      root = grown.rootHash;
      edge = new Map(
        edgeTiles(size).map(({ level, index }) => [tileKey(level, index), readTile(level, index, 0)]),
      );
      return root;
    },
  };
}
