/**
 * Hashes of complete subtrees that proofs contain. They are the same in every later tree of one log. RFC 6962
 * §2.1
 */
import type { Sha256 } from './bytes.ts';
import { consistencyProof, inclusionProof, largestPowerOfTwoBelow, nodeHash } from './merkle.ts';

/** A subtree over the leaves [start, end), a power of two of them. */
export type CompleteRange = { start: number; end: number; hash: Uint8Array };

/** Hashes from a verified path: its own, and those computed from them and the leaf. */
export function inclusionRanges(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  sha256: Sha256,
): CompleteRange[] {
  const siblings = placesOf((rangeHash) => inclusionProof(index, size, rangeHash));
  let own: CompleteRange = { start: index, end: index + 1, hash: leaf };
  const ranges = [own];
  for (const [i, [start, end]] of siblings.entries()) {
    const sibling = { start, end, hash: path[i]! };
    const [left, right] = start < own.start ? [sibling, own] : [own, sibling];
    own = { start: left.start, end: right.end, hash: nodeHash(left.hash, right.hash, sha256) };
    ranges.push(sibling, own);
  }
  return ranges.filter(isComplete);
}

/** Hashes from a verified proof: its own. */
export function consistencyRanges(
  oldSize: number,
  newSize: number,
  path: readonly Uint8Array[],
): CompleteRange[] {
  return placesOf((rangeHash) => consistencyProof(oldSize, newSize, rangeHash))
    .map(([start, end], i) => ({ start, end, hash: path[i]! }))
    .filter(isComplete);
}

/** The complete subtrees that a tree of this size consists of, from the left. */
export function peaksOf(size: number): (readonly [number, number])[] {
  const peaks: [number, number][] = [];
  for (let start = 0; start < size; ) {
    const left = size - start;
    const width = left === 1 ? 1 : largestPowerOfTwoBelow(left + 1);
    peaks.push([start, start + width]);
    start += width;
  }
  return peaks;
}

/** The root of the tree made of these; at least one. */
export function rootOfPeaks(peaks: readonly Uint8Array[], sha256: Sha256): Uint8Array {
  return peaks.reduceRight((right, left) => nodeHash(left, right, sha256));
}

/** The leaves that each hash of a proof is over, in the proof's order. */
function placesOf(
  prove: (rangeHash: (start: number, end: number) => Uint8Array) => Uint8Array[],
): [number, number][] {
  const places = new Map<Uint8Array, [number, number]>();
  const hashes = prove((start, end) => {
    const mark = new Uint8Array(0);
    places.set(mark, [start, end]);
    return mark;
  });
  return hashes.map((mark) => places.get(mark)!);
}

function isComplete({ start, end }: CompleteRange): boolean {
  const width = end - start;
  const power = width === 1 ? 1 : largestPowerOfTwoBelow(width + 1);
  return power === width && start % width === 0;
}
