import { EvidenceError } from '@acuse/evidence/errors';
import { assertConsistency, assertInclusion, leafHash } from '@acuse/evidence/merkle';
import {
  consistencyProof,
  consistencyTiles,
  inclusionProof,
  inclusionTiles,
  type TileReader,
  type TileRef,
  tilePath,
} from '@acuse/evidence/tiles';
import { sha256 } from '@noble/hashes/sha2.js';
import type { LogReader } from '../../api/log.ts';

export interface Tree {
  readonly size: number;
  readonly rootHash: Uint8Array;
}

/** Proofs out of the tiles that the log serves: only what leads to its root is believed. */
export interface Prover {
  /** Throws EvidenceError unless `old` is the beginning of `tree`. */
  assertPrefix(old: Tree, tree: Tree): Promise<void>;
  /** Throws EvidenceError unless this is the entry at this place of `tree`. `entry`: its 32 bytes. */
  assertEntry(entry: Uint8Array, index: number, tree: Tree): Promise<void>;
}

export function createProver(log: LogReader): Prover {
  const read = new Map<string, Promise<Uint8Array | null>>();

  async function load(refs: readonly TileRef[]): Promise<TileReader> {
    const tiles = new Map<string, Uint8Array>();
    await Promise.all(
      refs.map(async ({ level, index, width }) => {
        const path = tilePath(level, index, width);
        const asked = read.get(path) ?? log.tile(path);
        read.set(path, asked);
        const bytes = await asked;
        if (bytes === null) throw new EvidenceError('tile', `the log does not have ${path}`);
        tiles.set(`${level}/${index}`, bytes);
      }),
    );
    return (level, index) => tiles.get(`${level}/${index}`) ?? new Uint8Array(0);
  }

  return {
    async assertPrefix(old, tree) {
      const { size: oldSize, rootHash: oldRoot } = old;
      const { size: newSize, rootHash: newRoot } = tree;
      if (oldSize > newSize)
        throw new EvidenceError('consistency', `the tree has ${newSize} leaves and had ${oldSize}`);
      const readTile = await load(consistencyTiles(oldSize, newSize));
      const path = consistencyProof(oldSize, newSize, readTile, sha256);
      assertConsistency({ oldSize, oldRoot, newSize, newRoot, path }, sha256);
    },
    async assertEntry(entry, index, { size, rootHash }) {
      if (index >= size) throw new EvidenceError('inclusion', `the log ends before entry ${index}`);
      const readTile = await load(inclusionTiles(index, size));
      const path = inclusionProof(index, size, readTile, sha256);
      assertInclusion({ leaf: leafHash(entry, sha256), index, size, path, root: rootHash }, sha256);
    },
  };
}
