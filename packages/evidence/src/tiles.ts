/**
 * The log as tiles of height 8: where a hash stands, what an append changes, proofs out of tiles. C2SP
 * tlog-tiles
 */
import { SHA256_BYTES, type Sha256 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import * as merkle from './merkle.ts';

/** Hashes in a full tile. C2SP tlog-tiles, "Merkle Tree" */
export const TILE_WIDTH = 256;

/** `width`: 1..256 hashes of 32 bytes. */
export type TileRef = { level: number; index: number; width: number };
export type Tile = TileRef & { hashes: Uint8Array };

/** Answers with at least `width` hashes of the tile; what a wider version has beyond is ignored. */
export type TileReader = (level: number, index: number, width: number) => Uint8Array;

/** The width of a tile in a tree of `size` leaves; 0 if it has none there. */
export function tileWidth(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH;
  return Math.max(0, Math.min(TILE_WIDTH, hashes));
}

/** The partial tiles at the right edge of a tree: what appendLeaves and treeRoot read. */
export function edgeTiles(size: number): TileRef[] {
  const tiles: TileRef[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

/**
 * The tree after appending: its size, its root and each tile that is new or wider.
 * `leafHashes`: 32 bytes a leaf, side by side. Reads edgeTiles(size) and nothing else.
 */
export function appendLeaves(
  size: number,
  leafHashes: Uint8Array,
  readTile: TileReader,
  sha256: Sha256,
): { size: number; rootHash: Uint8Array; tiles: Tile[] } {
  if (leafHashes.length % SHA256_BYTES !== 0) throw new EvidenceError('tile', 'a leaf hash is not 32 bytes');
  const newSize = size + leafHashes.length / SHA256_BYTES;
  if (!Number.isSafeInteger(newSize)) throw new EvidenceError('tile', 'the tree is too large');
  const tiles: Tile[] = [];
  let appended = leafHashes;
  for (let level = 0; appended.length > 0; level++) {
    const position = Math.floor(size / TILE_WIDTH ** level);
    const changed = appendToLevel(level, position, appended, readTile);
    tiles.push(...changed);
    appended = rootsOfFullTiles(changed, sha256);
  }
  const fresh = new Map(tiles.map((tile) => [tileKey(tile.level, tile.index), tile.hashes]));
  const readNew: TileReader = (level, index, width) =>
    fresh.get(tileKey(level, index)) ?? readTile(level, index, width);
  return { size: newSize, rootHash: treeRoot(newSize, readNew, sha256), tiles };
}

function tileKey(level: number, index: number): string {
  return `${level}/${index}`;
}

function appendToLevel(level: number, position: number, appended: Uint8Array, readTile: TileReader): Tile[] {
  const first = Math.floor(position / TILE_WIDTH);
  const present = position % TILE_WIDTH;
  const edge =
    present > 0 ? readHashes(readTile, { level, index: first, width: present }) : new Uint8Array(0);
  const hashes = new Uint8Array(edge.length + appended.length);
  hashes.set(edge);
  hashes.set(appended, edge.length);
  const tiles: Tile[] = [];
  const tileBytes = TILE_WIDTH * SHA256_BYTES;
  for (let at = 0; at < hashes.length; at += tileBytes) {
    const content = hashes.slice(at, at + tileBytes);
    tiles.push({
      level,
      index: first + at / tileBytes,
      width: content.length / SHA256_BYTES,
      hashes: content,
    });
  }
  return tiles;
}

function rootsOfFullTiles(tiles: readonly Tile[], sha256: Sha256): Uint8Array {
  const full = tiles.filter((tile) => tile.width === TILE_WIDTH);
  const roots = new Uint8Array(full.length * SHA256_BYTES);
  for (const [i, tile] of full.entries())
    roots.set(merkle.perfectRoot(tile.hashes, sha256), i * SHA256_BYTES);
  return roots;
}

export function treeRoot(size: number, readTile: TileReader, sha256: Sha256): Uint8Array {
  return rangeHashFrom(size, readTile, sha256)(0, size);
}

/** Throws EvidenceError `inclusion` for an index outside the tree, `tile` for a tile too short. */
export function inclusionProof(
  index: number,
  size: number,
  readTile: TileReader,
  sha256: Sha256,
): Uint8Array[] {
  return merkle.inclusionProof(index, size, rangeHashFrom(size, readTile, sha256));
}

export function consistencyProof(
  oldSize: number,
  newSize: number,
  readTile: TileReader,
  sha256: Sha256,
): Uint8Array[] {
  return merkle.consistencyProof(oldSize, newSize, rangeHashFrom(newSize, readTile, sha256));
}

/** The tiles that inclusionProof will read, to be fetched all at once. */
export function inclusionTiles(index: number, size: number): TileRef[] {
  return recordReads((readTile) => inclusionProof(index, size, readTile, noHash));
}

/** The tiles that consistencyProof will read. */
export function consistencyTiles(oldSize: number, newSize: number): TileRef[] {
  return recordReads((readTile) => consistencyProof(oldSize, newSize, readTile, noHash));
}

const noHash: Sha256 = () => new Uint8Array(SHA256_BYTES);

function recordReads(run: (readTile: TileReader) => void): TileRef[] {
  const refs = new Map<string, TileRef>();
  run((level, index, width) => {
    refs.set(tileKey(level, index), { level, index, width });
    return new Uint8Array(width * SHA256_BYTES);
  });
  return [...refs.values()];
}

/**
 * MTH(D[start:end]) in a tree of `size`, for the ranges that proofs are made of: they start at a multiple of
 * their perfect subtrees.
 */
function rangeHashFrom(size: number, readTile: TileReader, sha256: Sha256): merkle.RangeHash {
  return (start, end) => {
    let acc: Uint8Array | undefined;
    let at = end;
    while (at > start) {
      const leaves = merkle.lowestPowerOfTwo(at - start);
      const perfect = perfectSubtree(at - leaves, leaves, size, readTile, sha256);
      acc = acc === undefined ? perfect : merkle.nodeHash(perfect, acc, sha256);
      at -= leaves;
    }
    return acc ?? merkle.emptyRoot(sha256);
  };
}

/** The root of the `leaves` (a power of two) leaves from `start` (a multiple of it). */
function perfectSubtree(
  start: number,
  leaves: number,
  size: number,
  readTile: TileReader,
  sha256: Sha256,
): Uint8Array {
  let level = 0;
  while (leaves >= TILE_WIDTH ** (level + 1)) level++;
  const leavesPerHash = TILE_WIDTH ** level;
  const first = start / leavesPerHash;
  const index = Math.floor(first / TILE_WIDTH);
  const tile = readHashes(readTile, { level, index, width: tileWidth(level, index, size) });
  const from = (first % TILE_WIDTH) * SHA256_BYTES;
  return merkle.perfectRoot(tile.subarray(from, from + (leaves / leavesPerHash) * SHA256_BYTES), sha256);
}

function readHashes(readTile: TileReader, { level, index, width }: TileRef): Uint8Array {
  const hashes = readTile(level, index, width);
  if (hashes.length < width * SHA256_BYTES || hashes.length % SHA256_BYTES !== 0)
    throw new EvidenceError('tile', `tile ${tilePath(level, index, width)} has ${hashes.length} bytes`);
  return hashes.length === width * SHA256_BYTES ? hashes : hashes.subarray(0, width * SHA256_BYTES);
}

/** `tile/<L>/<N>[.p/<W>]`, without a leading slash; level `entries` for entry bundles. */
export function tilePath(level: number | 'entries', index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** The inverse of tilePath; undefined for any other spelling. */
export function parseTilePath(
  path: string,
): { level: number | 'entries'; index: number; width: number } | undefined {
  const match = /^tile\/(entries|[1-5]?\d|6[0-3])\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(
    path,
  );
  if (match === null) return undefined;
  const level = match[1] === 'entries' ? 'entries' : Number(match[1]);
  const index = Number(match[2]!.replace(/[x/]/g, ''));
  const width = match[3] === undefined ? TILE_WIDTH : Number(match[3]);
  const parsed = { level, index, width } as const;
  return Number.isSafeInteger(index) && width <= TILE_WIDTH && tilePath(level, index, width) === path
    ? parsed
    : undefined;
}

/** Entries of at most 65 535 bytes, each behind its length as a big-endian uint16. */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(entries.reduce((size, entry) => size + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > 0xffff) throw new EvidenceError('tile', 'an entry is over 65535 bytes');
    out[at++] = entry.length >> 8;
    out[at++] = entry.length & 255;
    out.set(entry, at);
    at += entry.length;
  }
  return out;
}

/** Throws EvidenceError `tile` unless the bytes are exactly `width` entries. */
export function decodeEntryBundle(bundle: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bundle.length) {
    const end = at + 2 + (bundle[at]! << 8) + (bundle[at + 1] ?? 0);
    if (at + 2 > bundle.length || end > bundle.length || entries.length === width)
      throw new EvidenceError('tile', 'the entry bundle is cut short or too long');
    entries.push(bundle.slice(at + 2, end));
    at = end;
  }
  if (entries.length !== width) throw new EvidenceError('tile', `the entry bundle has not ${width} entries`);
  return entries;
}
