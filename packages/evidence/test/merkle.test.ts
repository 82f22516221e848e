import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { equalBytes, toHex } from '../src/bytes.ts';
import {
  assertConsistency,
  assertInclusion,
  consistencyProof,
  emptyRoot,
  inclusionProof,
  leafHash,
  type RangeHash,
  rangeHashOf,
  rootOf,
} from '../src/merkle.ts';
import { oracleOf } from './merkle-oracle.ts';
import { expectRefusal, sha256 } from './support.ts';

const SIZES = 256;
const leaves = Array.from({ length: 1024 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`), sha256));

const { mth, path, subproof } = oracleOf((index) => leaves[index]!, 1);

/** Told of only where they differ: 66 000 proofs are compared. */
function expectSame(
  proof: readonly Uint8Array[],
  expected: readonly Uint8Array[],
  which: () => string,
): void {
  const same = proof.length === expected.length && proof.every((hash, i) => equalBytes(hash, expected[i]!));
  if (!same) expect(proof.map(toHex), which()).toEqual(expected.map(toHex));
}

const roots = Array.from({ length: SIZES + 1 }, (_, size) => mth(0, size));
const computed = rangeHashOf(leaves, sha256);
const asked = new Map<number, Uint8Array>();
/** Each range computed once, by the code under test: all proofs of all sizes ask for few. */
const ranges: RangeHash = (start, end) => {
  const key = start * leaves.length + end;
  const hash = asked.get(key) ?? computed(start, end);
  asked.set(key, hash);
  return hash;
};

test('roots of 0..256 leaves are those of the recursive definition', () => {
  for (let size = 0; size <= SIZES; size++)
    expect(rootOf(leaves.slice(0, size), sha256)).toEqual(roots[size]);
  expect(emptyRoot(sha256)).toEqual(roots[0]);
});

test('every inclusion proof of 0..256 leaves is that of the recursive definition and verifies', () => {
  for (let size = 1; size <= SIZES; size++) {
    for (let index = 0; index < size; index++) {
      const proof = inclusionProof(index, size, ranges);
      expectSame(proof, path(index, 0, size), () => `leaf ${index} of ${size}`);
      assertInclusion({ leaf: leaves[index]!, index, size, path: proof, root: roots[size]! }, sha256);
    }
  }
});

test('every consistency proof between 0..256 leaves is that of the recursive definition and verifies', () => {
  for (let size = 0; size <= SIZES; size++) {
    for (let old = 0; old <= size; old++) {
      const proof = consistencyProof(old, size, ranges);
      if (old > 0) expectSame(proof, subproof(old, 0, size, true), () => `${old} to ${size}`);
      assertConsistency(
        { oldSize: old, oldRoot: roots[old]!, newSize: size, newRoot: roots[size]!, path: proof },
        sha256,
      );
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
          expectRefusal(
            () => assertInclusion({ leaf: l, index: i, size: s, path: p, root: r }, sha256),
            'inclusion',
          );
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
      () =>
        assertInclusion(
          { leaf: ranges(0, 2), index: 0, size: 4, path: proof.slice(1), root: roots[4]! },
          sha256,
        ),
      'inclusion',
      /too short/,
    );
  });

  test('a path of another tree size is refused where its length differs', () => {
    const proof = inclusionProof(3, 100, ranges);
    for (const size of [1, 4, 64, 129, 256])
      expectRefusal(
        () => assertInclusion({ leaf: leaves[3]!, index: 3, size, path: proof, root: roots[100]! }, sha256),
        'inclusion',
      );
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
        expectRefusal(
          () => assertConsistency({ oldSize: o, oldRoot: or, newSize: s, newRoot: r, path: p }, sha256),
          'consistency',
        );
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
        expectRefusal(
          () => assertInclusion({ leaf: leaves[0]!, index, size, path: junk, root: roots[200]! }, sha256),
          'inclusion',
        );
        if (index !== size && index !== 0)
          expectRefusal(
            () =>
              assertConsistency(
                { oldSize: index, oldRoot: roots[1]!, newSize: size, newRoot: roots[2]!, path: junk },
                sha256,
              ),
            'consistency',
          );
      },
    ),
  );
});
