import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toHex } from '../src/bytes.ts';
import {
  assertConsistency,
  assertInclusion,
  consistencyProof,
  emptyRoot,
  inclusionProof,
  largestPowerOfTwoBelow,
  leafHash,
  nodeHash,
  rangeHashOf,
  rootOf,
} from '../src/merkle.ts';
import { expectRefusal, sha256 } from './support.ts';

const SIZES = 256;
const leaves = Array.from({ length: 1024 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`), sha256));

const known = new Map<string, Uint8Array>();

/** MTH(D[start:end]) word for word, each computed once. RFC 6962 §2.1 */
function mth(start: number, end: number): Uint8Array {
  const key = `${start}:${end}`;
  const hash = known.get(key) ?? computeMth(start, end);
  known.set(key, hash);
  return hash;
}

function computeMth(start: number, end: number): Uint8Array {
  if (start === end) return sha256(new Uint8Array());
  if (end - start === 1) return leaves[start]!;
  const k = start + largestPowerOfTwoBelow(end - start);
  return nodeHash(mth(start, k), mth(k, end), sha256);
}

/** PATH(m, D[start:end]). RFC 6962 §2.1.1 */
function path(m: number, start: number, end: number): Uint8Array[] {
  if (end - start === 1) return [];
  const k = start + largestPowerOfTwoBelow(end - start);
  return m < k ? [...path(m, start, k), mth(k, end)] : [...path(m, k, end), mth(start, k)];
}

/** SUBPROOF(m, D[start:end], b). RFC 6962 §2.1.2 */
function subproof(m: number, start: number, end: number, b: boolean): Uint8Array[] {
  if (m === end) return b ? [] : [mth(start, end)];
  const k = start + largestPowerOfTwoBelow(end - start);
  return m <= k ? [...subproof(m, start, k, b), mth(k, end)] : [...subproof(m, k, end, false), mth(start, k)];
}

const hexes = (proof: readonly Uint8Array[]) => proof.map(toHex).join();

const roots = Array.from({ length: SIZES + 1 }, (_, size) => mth(0, size));
const ranges = rangeHashOf(leaves, sha256);

test('roots of 0..256 leaves are those of the recursive definition', () => {
  for (let size = 0; size <= SIZES; size++)
    expect(rootOf(leaves.slice(0, size), sha256)).toEqual(roots[size]);
  expect(emptyRoot(sha256)).toEqual(roots[0]);
});

test('inclusion proofs of 0..256 leaves are those of the recursive definition and verify', () => {
  for (let size = 1; size <= SIZES; size++) {
    const step = size < 40 ? 1 : 7;
    for (let index = 0; index < size; index += step) {
      const proof = inclusionProof(index, size, ranges);
      expect(hexes(proof)).toBe(hexes(path(index, 0, size)));
      assertInclusion(leaves[index]!, index, size, proof, roots[size]!, sha256);
    }
  }
});

test('consistency proofs between 0..256 leaves are those of the recursive definition and verify', () => {
  for (let size = 0; size <= SIZES; size++) {
    const step = size < 40 ? 1 : 11;
    for (let old = 0; old <= size; old += step) {
      const proof = consistencyProof(old, size, ranges);
      if (old > 0) expect(hexes(proof)).toBe(hexes(subproof(old, 0, size, true)));
      assertConsistency(old, roots[old]!, size, roots[size]!, proof, sha256);
    }
  }
});

/** Every one-step change of a proof: a bit, a hash less, more, twice or exchanged. */
function* mutants(proof: readonly Uint8Array[]): Generator<Uint8Array[]> {
  for (const [i, hash] of proof.entries()) {
    const bit = Uint8Array.from(hash);
    bit[i % 32]! ^= 1 << (i % 8);
    yield proof.with(i, bit);
    yield proof.with(i, hash.subarray(1));
    yield proof.toSpliced(i, 1);
    yield proof.toSpliced(i, 0, hash);
    if (i > 0) yield proof.with(i, proof[i - 1]!).with(i - 1, hash);
  }
  yield [...proof, leaves[0]!];
  yield [leaves[0]!, ...proof];
}

describe('what is not exactly the proof is refused', () => {
  test('inclusion: every mutant of path, index, size, leaf and root', () => {
    for (const size of [1, 2, 3, 5, 8, 13, 64, 100, 255, 256]) {
      for (let index = 0; index < size; index += Math.ceil(size / 9)) {
        const proof = inclusionProof(index, size, ranges);
        const leaf = leaves[index]!;
        const refuse = (l: Uint8Array, i: number, s: number, p: Uint8Array[], r: Uint8Array) =>
          expectRefusal(() => assertInclusion(l, i, s, p, r, sha256), 'inclusion');
        for (const mutant of mutants(proof)) refuse(leaf, index, size, mutant, roots[size]!);
        for (let other = 0; other < size; other++)
          if (other !== index) refuse(leaf, other, size, proof, roots[size]!);
        for (const bad of [-1, size, size + 1, 0.5, Number.NaN, 2 ** 53])
          refuse(leaf, bad, size, proof, roots[size]!);
        refuse(leaves[index + 1]!, index, size, proof, roots[size]!);
        refuse(leaf, index, size, proof, roots[size - 1]!);
        refuse(leaf, index, 0, proof, roots[0]!);
      }
    }
  });

  test('a node of the tree is no leaf of a smaller one', () => {
    const proof = inclusionProof(0, 4, ranges);
    expectRefusal(
      () => assertInclusion(ranges(0, 2), 0, 4, proof.slice(1), roots[4]!, sha256),
      'inclusion',
      /too short/,
    );
  });

  test('a path of another tree size is refused where its length differs', () => {
    const proof = inclusionProof(3, 100, ranges);
    for (const size of [1, 4, 64, 129, 256])
      expectRefusal(() => assertInclusion(leaves[3]!, 3, size, proof, roots[100]!, sha256), 'inclusion');
  });

  test('consistency: every mutant of proof, sizes and roots', () => {
    for (const [old, size] of [
      [1, 2],
      [1, 8],
      [3, 7],
      [4, 8],
      [6, 8],
      [7, 8],
      [13, 100],
      [64, 256],
      [100, 255],
      [128, 200],
    ] as const) {
      const proof = consistencyProof(old, size, ranges);
      const refuse = (o: number, or: Uint8Array, s: number, r: Uint8Array, p: Uint8Array[]) =>
        expectRefusal(() => assertConsistency(o, or, s, r, p, sha256), 'consistency');
      for (const mutant of mutants(proof)) refuse(old, roots[old]!, size, roots[size]!, mutant);
      refuse(old, roots[old - 1]!, size, roots[size]!, proof);
      refuse(old, roots[old]!, size, roots[size - 1]!, proof);
      refuse(size, roots[size]!, old, roots[old]!, proof);
      refuse(old, roots[old]!, size, roots[size]!, []);
      refuse(old, roots[old]!, old, roots[size]!, []);
      refuse(0, roots[1]!, size, roots[size]!, []);
      refuse(0, roots[0]!, size, roots[size]!, proof);
    }
  });
});

test('random bytes for a path never throw anything but a refusal', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 70 }),
      fc.maxSafeNat(),
      fc.maxSafeNat(),
      (junk, index, size) => {
        expectRefusal(() => assertInclusion(leaves[0]!, index, size, junk, roots[200]!, sha256), 'inclusion');
        if (index !== size && index !== 0)
          expectRefusal(
            () => assertConsistency(index, roots[1]!, size, roots[2]!, junk, sha256),
            'consistency',
          );
      },
    ),
  );
});
