/**
 * The evidence format, bundled into one module of the package. Nothing else imports packages/evidence, and
 * none of its types leaves this file: what is exported speaks in plain values.
 */
import { fromBase64, toBase64, toHex } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { assertConsistency, assertInclusion, leafHash } from '@acuse/evidence/merkle';
import { readPinnedPolicy } from '@acuse/evidence/policy';
import { openPromise } from '@acuse/evidence/promise';
import {
  consistencyProof,
  consistencyTiles,
  inclusionProof,
  inclusionTiles,
  TILE_WIDTH,
  tilePath,
  tileWidth,
} from '@acuse/evidence/tiles';
import { ED25519, parseVerifierKey } from '@acuse/evidence/verifier-key';
import { verifyBundle } from '@acuse/evidence/verify';
import { sha256 } from '@noble/hashes/sha2.js';

/** As packages/evidence answers it, in plain values. */
export interface RawVerification {
  readonly valid: boolean;
  readonly verdict: 'verified' | 'unproven' | 'incomplete' | 'rejected';
  readonly reasons: readonly { readonly name: string; readonly detail: string }[];
  readonly warnings: readonly { readonly name: string; readonly detail: string }[];
  readonly isBundle: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly eml: { readonly verdict: string } | null;
}

/** `policy`: JSON of a policy of the verifier's own; undefined: that of the bundle is believed. */
export async function verifyEvidence(
  bytes: Uint8Array,
  options: { now: Date; policy?: unknown; at?: Date | undefined; eml?: Uint8Array | undefined },
): Promise<RawVerification> {
  const { now, policy, at, eml } = options;
  const { is_bundle, ...found } = await verifyBundle(bytes, {
    sha256,
    now,
    ...(policy !== undefined && { trust: readPinnedPolicy(policy as never, sha256) }),
    ...(at !== undefined && { at }),
    ...(eml !== undefined && { eml }),
  });
  const { valid, verdict, reasons, warnings, checks, facts, eml: copy } = found;
  return { valid, verdict, reasons, warnings, isBundle: is_bundle, checks, facts: { ...facts }, eml: copy };
}

/** Why a policy cannot be used; undefined: it can. */
export function faultOfPolicy(policy: unknown): string | undefined {
  return faultOf(() => readPinnedPolicy(policy as never, sha256));
}

/** A checkpoint that the pinned key signed. Root in base64. */
export interface OpenedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly rootHash: string;
}

/** Throws for an invalid key; returns a fault of the note as a text. */
export function openLog(note: string, pinnedKey: string): OpenedCheckpoint | string {
  const key = parseVerifierKey(pinnedKey, sha256);
  try {
    const { checkpoint } = openCheckpoint(note, [key]);
    const { origin, size, rootHash } = checkpoint;
    return { origin, size, rootHash: toBase64(rootHash) };
  } catch (error) {
    return reasonOf(error);
  }
}

/** Why a key is not one that a log signs with; undefined: it is. */
export function faultOfKey(key: string): string | undefined {
  return faultOf(() => {
    const { type } = parseVerifierKey(key, sha256);
    if (type !== ED25519) throw new EvidenceError('key', 'a key of another kind');
  });
}

/** Fetches a tile by its path. */
export type FetchTile = (path: string) => Promise<Uint8Array>;

/** Why the smaller tree is not shown to be the beginning of the larger one; undefined: it is. */
export async function faultOfGrowth(
  older: OpenedCheckpoint,
  newer: OpenedCheckpoint,
  fetchTile: FetchTile,
): Promise<string | undefined> {
  if (older.size === 0) return undefined;
  const readTile = await load(consistencyTiles(older.size, newer.size), fetchTile);
  return faultOf(() => {
    const path = consistencyProof(older.size, newer.size, readTile, sha256);
    const roots = { oldRoot: rootOf(older), newRoot: rootOf(newer) };
    assertConsistency({ oldSize: older.size, newSize: newer.size, ...roots, path }, sha256);
  });
}

/** What a promise says. `leaf`: the hash that the log's tree has for it, in hex; `deadline`: Unix seconds. */
export function readPromise(promise: string, pinnedKey: string): { leaf: string; deadline: number } | string {
  const key = parseVerifierKey(pinnedKey, sha256);
  try {
    const { canonicalHash, deadline } = openPromise(promise, [key], sha256);
    return { leaf: toHex(leafHash(canonicalHash, sha256)), deadline };
  } catch (error) {
    return reasonOf(error);
  }
}

/** Tiles of leaves that are read at most, newest first. */
const SEARCHED_TILES_MAX = 4_096;

/** True if a tree has a leaf (in hex), newest first; null: it is too large to look through. */
export async function findLeaf(
  leaf: string,
  tree: OpenedCheckpoint,
  fetchTile: FetchTile,
): Promise<boolean | null> {
  const last = Math.ceil(tree.size / TILE_WIDTH) - 1;
  for (let index = last; index >= 0; index--) {
    if (last - index >= SEARCHED_TILES_MAX) return null;
    const width = tileWidth(0, index, tree.size);
    const hashes = await fetchTile(tilePath(0, index, width));
    for (let at = 0; at < width; at++) {
      const hash = hashes.subarray(at * 32, at * 32 + 32);
      if (toHex(hash) === leaf && (await isIncluded(hash, index * TILE_WIDTH + at, tree, fetchTile)))
        return true;
    }
  }
  return false;
}

async function isIncluded(
  hash: Uint8Array,
  leafIndex: number,
  tree: OpenedCheckpoint,
  fetchTile: FetchTile,
): Promise<boolean> {
  const readTile = await load(inclusionTiles(leafIndex, tree.size), fetchTile);
  const proof = () => {
    const path = inclusionProof(leafIndex, tree.size, readTile, sha256);
    assertInclusion({ leaf: hash, index: leafIndex, size: tree.size, path, root: rootOf(tree) }, sha256);
  };
  return faultOf(proof) === undefined;
}

async function load(
  tiles: readonly { level: number; index: number; width: number }[],
  fetchTile: FetchTile,
): Promise<(level: number, index: number) => Uint8Array> {
  const read = new Map<string, Uint8Array>();
  for (const { level, index, width } of tiles)
    read.set(`${level}/${index}`, await fetchTile(tilePath(level, index, width)));
  return (level: number, index: number) => read.get(`${level}/${index}`) ?? new Uint8Array(0);
}

function rootOf({ rootHash }: OpenedCheckpoint): Uint8Array {
  return fromBase64(rootHash) ?? new Uint8Array(0);
}

function faultOf(step: () => unknown): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof EvidenceError ? (error as { readonly detail: string }).detail : 'it cannot be read';
}
