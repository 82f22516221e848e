import { leastCost } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { toHex } from '../src/bytes.ts';
import * as merkle from '../src/merkle.ts';
import {
  appendLeaves,
  consistencyProof,
  consistencyTiles,
  decodeEntryBundle,
  edgeTiles,
  encodeEntryBundle,
  inclusionProof,
  inclusionTiles,
  parseTilePath,
  type TileReader,
  type TileRef,
  tilePath,
  tileWidth,
  treeRoot,
} from '../src/tiles.ts';
import { oracleOf } from './merkle-oracle.ts';
import { expectRefusal, sha256 } from './support.ts';

/** A store that keeps the widest version of each tile, and refuses to guess. */
function memoryLog() {
  const tiles = new Map<string, Uint8Array>();
  const reads: TileRef[] = [];
  const read: TileReader = (level, index, width) => {
    reads.push({ level, index, width });
    const hashes = tiles.get(`${level}/${index}`);
    if (hashes === undefined) throw new Error(`no tile ${level}/${index}`);
    return hashes;
  };
  let size = 0;
  let rootHash = merkle.emptyRoot(sha256);
  return {
    tiles,
    reads,
    read,
    append(leafHashes: Uint8Array) {
      reads.length = 0;
      const grown = appendLeaves(size, leafHashes, read, sha256);
      for (const { level, index, hashes } of grown.tiles) tiles.set(`${level}/${index}`, hashes);
      ({ size, rootHash } = grown);
      return grown;
    },
    get size() {
      return size;
    },
    get rootHash() {
      return rootHash;
    },
  };
}

function manyLeaves(count: number, seed = 0): Uint8Array {
  const out = new Uint8Array(count * 32);
  const view = new DataView(out.buffer);
  for (let i = 0; i < count; i++) view.setUint32(i * 32, seed + i);
  return out;
}

const split = (leaves: Uint8Array) =>
  Array.from({ length: leaves.length / 32 }, (_, i) => leaves.subarray(i * 32, i * 32 + 32));

test('appends of any sizes give the root and tiles of one append, and of the plain tree', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 6 }), (steps) => {
      const total = steps.reduce((sum, step) => sum + step, 0);
      const leaves = manyLeaves(total);
      const log = memoryLog();
      let at = 0;
      for (const step of steps) {
        const edge = edgeTiles(log.size);
        log.append(leaves.subarray(at * 32, (at + step) * 32));
        at += step;
        for (const read of log.reads) expect(edge).toContainEqual(read);
        expect(toHex(log.rootHash)).toBe(toHex(merkle.rootOf(split(leaves.subarray(0, at * 32)), sha256)));
      }
      const once = memoryLog();
      once.append(leaves);
      expect([...log.tiles.keys()].sort()).toEqual([...once.tiles.keys()].sort());
      for (const [key, hashes] of once.tiles) expect(toHex(log.tiles.get(key)!)).toBe(toHex(hashes));
    }),
    { numRuns: 60 },
  );
});

test("the specification's example: 70 000 leaves", () => {
  const log = memoryLog();
  const { tiles } = log.append(manyLeaves(70_000));
  const widths = (level: number) => tiles.filter((tile) => tile.level === level).map((tile) => tile.width);
  expect(widths(0)).toEqual([...Array<number>(273).fill(256), 112]);
  expect(widths(1)).toEqual([256, 17]);
  expect(widths(2)).toEqual([1]);
  expect(edgeTiles(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ]);
  expect(edgeTiles(256)).toEqual([{ level: 1, index: 0, width: 1 }]);
  expect(tileWidth(1, 1, 70_000)).toBe(17);
  expect(tileWidth(1, 2, 70_000)).toBe(0);
});

test('proofs out of tiles at random sizes to 2^20 are those of the recursive definition, and verify', () => {
  const most = 2 ** 20;
  const leaves = manyLeaves(most);
  const leafAt = (index: number) => leaves.subarray(index * 32, index * 32 + 32);
  // Small subtrees are computed again each time: remembering every hash would take more memory than the log.
  const oracle = oracleOf(leafAt, 64);
  const log = memoryLog();
  log.append(leaves);
  // As many sizes of 10 bits as of 20.
  const size = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat()).map(([bits, n]) => 1 + (n % 2 ** bits));
  fc.assert(
    fc.property(size, fc.nat(), fc.nat(), (size, a, b) => {
      const [index, old] = [a % size, b % (size + 1)];
      const root = treeRoot(size, log.read, sha256);
      expect(root).toEqual(oracle.mth(0, size));
      const inclusion = inclusionProof(index, size, log.read, sha256);
      expect(inclusion.map(toHex)).toEqual(oracle.path(index, 0, size).map(toHex));
      merkle.assertInclusion({ leaf: leafAt(index), index, size, path: inclusion, root }, sha256);
      const consistency = consistencyProof(old, size, log.read, sha256);
      const expected = old === 0 ? [] : oracle.subproof(old, 0, size, true);
      expect(consistency.map(toHex)).toEqual(expected.map(toHex));
      merkle.assertConsistency(
        { oldSize: old, oldRoot: oracle.mth(0, old), newSize: size, newRoot: root, path: consistency },
        sha256,
      );
    }),
    { numRuns: 300 },
  );
});

describe('proofs out of tiles', () => {
  const leaves = manyLeaves(70_000);
  const log = memoryLog();
  log.append(leaves);
  const ranges = merkle.rangeHashOf(split(leaves), sha256);

  test('are those of the plain tree, at earlier sizes too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70_000 }), fc.nat(), fc.nat(), (size, a, b) => {
        const index = a % size;
        const old = b % (size + 1);
        const inclusion = inclusionProof(index, size, log.read, sha256);
        expect(inclusion).toEqual(merkle.inclusionProof(index, size, ranges));
        const root = treeRoot(size, log.read, sha256);
        merkle.assertInclusion(
          { leaf: leaves.subarray(index * 32, index * 32 + 32), index, size, path: inclusion, root },
          sha256,
        );
        const consistency = consistencyProof(old, size, log.read, sha256);
        expect(consistency).toEqual(merkle.consistencyProof(old, size, ranges));
        merkle.assertConsistency(
          {
            oldSize: old,
            oldRoot: treeRoot(old, log.read, sha256),
            newSize: size,
            newRoot: root,
            path: consistency,
          },
          sha256,
        );
      }),
      { numRuns: 15 },
    );
  });

  test('read the tiles foretold and no more', () => {
    log.reads.length = 0;
    inclusionProof(12_345, 70_000, log.read, sha256);
    const unique = [
      ...new Map(log.reads.map((ref) => [tilePath(ref.level, ref.index, ref.width), ref])).values(),
    ];
    expect(inclusionTiles(12_345, 70_000)).toEqual(unique);
    expect(consistencyTiles(65_536, 70_000).length).toBeLessThan(5);
  });

  test('a short, odd or missing tile is refused', () => {
    for (const length of [0, 31, 32 * 255, 32 * 256 + 1])
      expectRefusal(() => inclusionProof(0, 70_000, () => new Uint8Array(length), sha256), 'tile');
    expectRefusal(() => appendLeaves(3, new Uint8Array(33), log.read, sha256), 'tile');
    expectRefusal(() => inclusionProof(70_000, 70_000, log.read, sha256), 'inclusion');
  });
});

test("random trees to 2^20 leaves: proofs verify, a neighbour's never does", () => {
  const log = memoryLog();
  const leaves = manyLeaves(2 ** 20);
  log.append(leaves);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 2 ** 20 }), fc.nat(), (size, a) => {
      const index = a % size;
      const proof = inclusionProof(index, size, log.read, sha256);
      const root = treeRoot(size, log.read, sha256);
      const leaf = (i: number) => leaves.subarray(i * 32, i * 32 + 32);
      merkle.assertInclusion({ leaf: leaf(index), index, size, path: proof, root }, sha256);
      const other = (index + 1) % size;
      expectRefusal(
        () => merkle.assertInclusion({ leaf: leaf(other), index, size, path: proof, root }, sha256),
        'inclusion',
      );
      expectRefusal(
        () => merkle.assertInclusion({ leaf: leaf(index), index: other, size, path: proof, root }, sha256),
        'inclusion',
      );
    }),
    { numRuns: 100 },
  );
});

test('tiles handed in as views of one buffer stay as they are', () => {
  const log = memoryLog();
  const leaves = manyLeaves(300);
  log.append(leaves);
  const shared: TileReader = (level, index) => Buffer.from(log.read(level, index, 0).buffer);
  const before = toHex(log.tiles.get('0/0')!);
  inclusionProof(299, 300, shared, sha256);
  appendLeaves(300, manyLeaves(10), shared, sha256);
  expect(toHex(log.tiles.get('0/0')!)).toBe(before);
});

/** The most that appending 65 536 leaves may cost: 131 071 hashes, each by itself. */
const APPEND_COST_MAX = 16;

test('65 536 leaves cost few plain readings of 25 MiB', () => {
  const leaves = manyLeaves(65_536);
  const cost = leastCost(APPEND_COST_MAX, () => void memoryLog().append(leaves));
  expect(cost).toBeLessThan(APPEND_COST_MAX);
});

describe('paths', () => {
  test.each([
    [0, 0, 256, 'tile/0/000'],
    [0, 1234067, 256, 'tile/0/x001/x234/067'],
    [1, 1000, 5, 'tile/1/x001/000.p/5'],
    [63, 999, 255, 'tile/63/999.p/255'],
    ['entries', 1000, 256, 'tile/entries/x001/000'],
  ] as const)('%s %i %i', (level, index, width, path) => {
    expect(tilePath(level, index, width)).toBe(path);
    expect(parseTilePath(path)).toEqual({ level, index, width });
  });

  test.each([
    'tile/64/000',
    'tile/00/000',
    'tile/0/0',
    'tile/0/0000',
    'tile/0/001/000',
    'tile/0/x000/000',
    'tile/0/x001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000.p/',
    '/tile/0/000',
    'tile/0/000/',
    'tile/x/000',
    'tile/0/x999/x999/x999/x999/x999/999',
    'tile/0/../000',
    'tile/0/000\n',
  ])('%s is no tile', (path) => expect(parseTilePath(path)).toBeUndefined());
});

test('entry bundles, exactly', () => {
  const entries = [new Uint8Array(32).fill(1), new Uint8Array(0), new Uint8Array(300).fill(2)];
  const bundle = encodeEntryBundle(entries);
  expect(decodeEntryBundle(bundle, 3)).toEqual(entries);
  for (const width of [2, 4]) expectRefusal(() => decodeEntryBundle(bundle, width), 'tile');
  for (const cut of [1, 299, 300, 301, 302])
    expectRefusal(() => decodeEntryBundle(bundle.subarray(0, -cut), 3), 'tile');
  expectRefusal(() => encodeEntryBundle([new Uint8Array(65_536)]), 'tile');
});
