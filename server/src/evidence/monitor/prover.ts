import { equalBytes } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { assertConsistency } from '@acuse/evidence/merkle';
import {
  consistencyProof,
  consistencyTiles,
  inclusionProof,
  inclusionTiles,
  type TileReader,
  type TileRef,
  tilePath,
} from '@acuse/evidence/tiles';
import { sha256 } from '../../platform/sha256.ts';
import type { Alerts } from './alert.ts';
import { mapSome, NOTHING, readerOf, readOn, rootOf, tileKey } from './follow.ts';
import type { LogClient } from './log-client.ts';

interface SignedTree {
  readonly size: number;
  readonly rootHash: Uint8Array;
  readonly note: string;
}

/** Caches tiles of one pass: proofs share most. */
export interface Prover {
  /**
   * True: `small` is a prefix of `large`; otherwise an alert says why. Tiles are unsigned: only entries that
   * give one root and not the other accuse the log.
   */
  checkPrefix(small: SignedTree, large: SignedTree, alerts: Alerts): Promise<boolean>;
  /** Throws EvidenceError `tile`. */
  proveInclusion(index: number, size: number): Promise<Uint8Array[]>;
}

/** Some 16 MB. */
const MAX_CACHED_TILES = 2_048;

export function createProver(client: LogClient): Prover {
  const cache = new Map<string, Uint8Array>();

  async function load(refs: readonly TileRef[]): Promise<TileReader> {
    const wanted = new Map<string, Uint8Array>();
    await mapSome(refs, async (ref) => {
      const key = tilePath(ref.level, ref.index, ref.width);
      const hashes = cache.get(key) ?? (await client.tile(ref));
      wanted.set(tileKey(ref), hashes);
      if (cache.size < MAX_CACHED_TILES) cache.set(key, hashes);
    });
    return readerOf(wanted);
  }

  /** Null: the proof holds. */
  async function faultOfProof(small: SignedTree, large: SignedTree): Promise<string | null> {
    try {
      const readTile = await load(consistencyTiles(small.size, large.size));
      const path = consistencyProof(small.size, large.size, readTile, sha256);
      assertConsistency(
        { oldSize: small.size, oldRoot: small.rootHash, newSize: large.size, newRoot: large.rootHash, path },
        sha256,
      );
      return null;
    } catch (error) {
      if (!(error instanceof EvidenceError)) throw error;
      return error.message;
    }
  }

  return {
    async checkPrefix(small, large, alerts) {
      const fault = await faultOfProof(small, large);
      if (fault === null) return true;
      const notes = [small.note, large.note];
      const told = `the tree of ${small.size} leaves and that of ${large.size}`;
      const roots = await readRoots(client, small.size, large.size);
      if (!equalBytes(roots.large, large.rootHash)) {
        alerts.add(
          'inconsistent',
          `${told} are not shown to be of one history (${fault}), nor do the entries give the larger one`,
          notes,
        );
        return false;
      }
      if (!equalBytes(roots.small, small.rootHash)) {
        alerts.add(
          'fork',
          `${told} are both signed and not of one history: the entries of the larger one give another smaller one`,
          notes,
        );
        return false;
      }
      alerts.add('tile', `${told} are of one history, but the tiles do not show it: ${fault}`);
      return true;
    },
    async proveInclusion(index, size) {
      const readTile = await load(inclusionTiles(index, size));
      return inclusionProof(index, size, readTile, sha256);
    },
  };
}

async function readRoots(
  client: LogClient,
  small: number,
  large: number,
): Promise<{ small: Uint8Array; large: Uint8Array }> {
  const first = await readOn({ client }, NOTHING, small);
  return { small: rootOf(first), large: rootOf(await readOn({ client }, first, large)) };
}
