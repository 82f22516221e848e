/**
 * The Merkle tree of RFC 6962 §2.1: hashes, proofs and their verification. Sizes and indexes are safe
 * integers.
 */
import { concat, equalBytes, SHA256_BYTES, type Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

/** Hashes in a proof for a tree of at most 2^53 leaves. */
export const MAX_PATH_HASHES = 53;

const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;

/** The hash of the leaves [start, end) as a tree of their own. */
export type RangeHash = (start: number, end: number) => Uint8Array;

export function leafHash(entry: Uint8Array, sha256: Sha256): Uint8Array {
  const input = new Uint8Array(1 + entry.length);
  input[0] = LEAF_PREFIX;
  input.set(entry, 1);
  return sha256(input);
}

export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  const input = new Uint8Array(1 + 2 * SHA256_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + SHA256_BYTES);
  return sha256(input);
}

export function emptyRoot(sha256: Sha256): Uint8Array {
  return sha256(new Uint8Array(0));
}

/** The root over a power of two of adjacent hashes. `hashes`: a multiple of 32 bytes, not changed. */
export function perfectRoot(hashes: Uint8Array, sha256: Sha256): Uint8Array {
  // Not slice(): a Node Buffer's shares its memory, and this is overwritten.
  const level = new Uint8Array(hashes);
  const input = new Uint8Array(1 + 2 * SHA256_BYTES);
  input[0] = NODE_PREFIX;
  for (let count = level.length / SHA256_BYTES; count > 1; count /= 2) {
    for (let i = 0; i < count; i += 2) {
      input.set(level.subarray(i * SHA256_BYTES, (i + 2) * SHA256_BYTES), 1);
      level.set(sha256(input), (i / 2) * SHA256_BYTES);
    }
  }
  return level.slice(0, SHA256_BYTES);
}

/** MTH over leaf hashes held in memory. RFC 6962 §2.1 */
export function rangeHashOf(leafHashes: readonly Uint8Array[], sha256: Sha256): RangeHash {
  return (start, end) => {
    let acc: Uint8Array | undefined;
    let at = end;
    // From the right: the smallest perfect subtree first.
    while (at > start) {
      const size = lowestPowerOfTwo(at - start);
      const perfect = perfectRoot(concat(...leafHashes.slice(at - size, at)), sha256);
      acc = acc === undefined ? perfect : nodeHash(perfect, acc, sha256);
      at -= size;
    }
    return acc ?? emptyRoot(sha256);
  };
}

export function rootOf(leafHashes: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  return rangeHashOf(leafHashes, sha256)(0, leafHashes.length);
}

/**
 * The audit path of a leaf, its sibling first. Throws EvidenceError `inclusion` for an index outside the
 * tree. RFC 6962 §2.1.1
 */
export function inclusionProof(index: number, size: number, rangeHash: RangeHash): Uint8Array[] {
  assertIndex(index, size);
  const path: Uint8Array[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const split = start + largestPowerOfTwoBelow(end - start);
    if (index < split) {
      path.push(rangeHash(split, end));
      end = split;
    } else {
      path.push(rangeHash(start, split));
      start = split;
    }
  }
  return path.reverse();
}

export interface ClaimedInclusion {
  /** The leaf's hash. */
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/**
 * Throws EvidenceError `inclusion` unless the path leads from this leaf at this index to this root, with
 * exactly as many hashes as a tree of this size has levels there. RFC 9162 §2.1.3.2
 */
export function assertInclusion({ leaf, index, size, path, root }: ClaimedInclusion, sha256: Sha256): void {
  assertIndex(index, size);
  let position = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (sibling.length !== SHA256_BYTES) throw new EvidenceError('inclusion', 'a hash is not 32 bytes');
    if (last === 0) throw new EvidenceError('inclusion', 'the path is too long');
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash, sha256);
      // The last node of a level without a sibling rises unhashed to a level where it has one.
      while (position % 2 === 0 && position !== 0) {
        position /= 2;
        last = half(last);
      }
    } else {
      hash = nodeHash(hash, sibling, sha256);
    }
    position = half(position);
    last = half(last);
  }
  if (last !== 0) throw new EvidenceError('inclusion', 'the path is too short');
  if (!equalBytes(hash, root)) throw new EvidenceError('inclusion', 'the path leads to another root');
}

/**
 * Proof that the tree of `oldSize` leaves is a prefix of the tree of `newSize`; empty for equal sizes and for
 * the empty tree. RFC 6962 §2.1.2
 */
export function consistencyProof(oldSize: number, newSize: number, rangeHash: RangeHash): Uint8Array[] {
  assertSizes(oldSize, newSize);
  if (oldSize === 0 || oldSize === newSize) return [];
  const path: Uint8Array[] = [];
  let start = 0;
  let end = newSize;
  let wholeOldTree = true;
  while (oldSize !== end) {
    const split = start + largestPowerOfTwoBelow(end - start);
    if (oldSize <= split) {
      path.push(rangeHash(split, end));
      end = split;
    } else {
      path.push(rangeHash(start, split));
      start = split;
      wholeOldTree = false;
    }
  }
  // The verifier has the old root already if it is a node of the new tree.
  if (!wholeOldTree) path.push(rangeHash(start, end));
  return path.reverse();
}

export interface ClaimedConsistency {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/**
 * Throws EvidenceError `consistency` unless the tree with the old root is a prefix of the one with the new
 * root. RFC 9162 §2.1.4.2
 */
export function assertConsistency(
  { oldSize, oldRoot, newSize, newRoot, path }: ClaimedConsistency,
  sha256: Sha256,
): void {
  assertSizes(oldSize, newSize);
  if (path.some((hash) => hash.length !== SHA256_BYTES))
    throw new EvidenceError('consistency', 'a hash is not 32 bytes');
  if (oldSize === 0 || oldSize === newSize) {
    if (path.length > 0) throw new EvidenceError('consistency', 'the proof is too long');
    const expected = oldSize === 0 ? emptyRoot(sha256) : newRoot;
    if (!equalBytes(oldRoot, expected))
      throw new EvidenceError('consistency', 'equal trees have different roots');
    return;
  }
  const { oldHash, newHash } = foldConsistency(oldSize, newSize, oldRoot, path, sha256);
  if (!equalBytes(oldHash, oldRoot))
    throw new EvidenceError('consistency', 'the proof leads to another old root');
  if (!equalBytes(newHash, newRoot))
    throw new EvidenceError('consistency', 'the proof leads to another new root');
}

function foldConsistency(
  oldSize: number,
  newSize: number,
  oldRoot: Uint8Array,
  path: readonly Uint8Array[],
  sha256: Sha256,
): { oldHash: Uint8Array; newHash: Uint8Array } {
  const hashes = lowestPowerOfTwo(oldSize) === oldSize ? [oldRoot, ...path] : path;
  let position = oldSize - 1;
  let last = newSize - 1;
  while (position % 2 === 1) {
    position = half(position);
    last = half(last);
  }
  const first = hashes[0];
  if (first === undefined) throw new EvidenceError('consistency', 'the proof is too short');
  let oldHash = first;
  let newHash = first;
  for (const sibling of hashes.slice(1)) {
    if (last === 0) throw new EvidenceError('consistency', 'the proof is too long');
    if (position % 2 === 1 || position === last) {
      oldHash = nodeHash(sibling, oldHash, sha256);
      newHash = nodeHash(sibling, newHash, sha256);
      while (position % 2 === 0 && position !== 0) {
        position /= 2;
        last = half(last);
      }
    } else {
      newHash = nodeHash(newHash, sibling, sha256);
    }
    position = half(position);
    last = half(last);
  }
  if (last !== 0) throw new EvidenceError('consistency', 'the proof is too short');
  return { oldHash, newHash };
}

export function largestPowerOfTwoBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

export function lowestPowerOfTwo(n: number): number {
  let power = 1;
  while (n % (power * 2) === 0) power *= 2;
  return power;
}

function half(n: number): number {
  return Math.floor(n / 2);
}

function assertIndex(index: number, size: number): void {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size)
    throw new EvidenceError('inclusion', `index ${index} is not in a tree of ${size}`);
}

function assertSizes(oldSize: number, newSize: number): void {
  if (!Number.isSafeInteger(oldSize) || !Number.isSafeInteger(newSize) || oldSize < 0 || oldSize > newSize)
    throw new EvidenceError('consistency', `a tree of ${oldSize} is not a prefix of one of ${newSize}`);
}
