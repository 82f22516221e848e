import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { leafHash } from '@acuse/evidence/merkle';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type LostLeaf, readLostLeaves } from '../log/log-store.ts';
import { type FsckLeafRow, readLeavesToCheck } from './fsck-leaf-store.ts';
import { checkLeafContents, checkSeals, isSound, noteSeal, type ToldSeal } from './fsck-leaves.ts';
import { checkOutcomes } from './fsck-outcomes.ts';
import { createReport, type FsckResult } from './fsck-report.ts';
import type { LogName } from './fsck-store.ts';

export interface Page {
  readonly log: LogName;
  readonly from: number;
  readonly to: number;
}

/** Parallel arrays in index order. */
export interface TreeLeaves {
  readonly indexes: Float64Array<ArrayBuffer>;
  readonly treeSizes: Float64Array<ArrayBuffer>;
  readonly hashes: Uint8Array<ArrayBuffer>;
}

export interface CheckedPage {
  readonly leaves: TreeLeaves;
  readonly found: FsckResult;
}

/** Checks that need no other page, so that any thread can do them. */
export async function checkPage(db: Db, { log, from, to }: Page): Promise<CheckedPage> {
  const report = createReport();
  const tree: TreeLeaf[] = [];
  const told: ToldSeal[] = [];
  const rest: FsckLeafRow[] = [];
  await readLeavesToCheck(db, log.logId, from, to, (leaf) => {
    tree.push(treeLeaf(leaf));
    noteSeal(told, leaf);
    if (isSound(log, leaf)) report.count('messages');
    else rest.push(leaf);
  });
  await checkSeals(db, log, inOrder(told), report);
  await checkLeafContents(db, log, inOrder(rest), report);
  await checkOutcomes(db, log, rest, report);
  tree.push(...(await readLostLeaves(db, log.logId, from, to)).map(treeLeaf));
  return { leaves: treeLeaves(inOrder(tree)), found: report.result() };
}

interface TreeLeaf {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly hash: Uint8Array;
}

function treeLeaf({ leafIndex, treeSize, canonicalHash }: LostLeaf): TreeLeaf {
  return { leafIndex, treeSize, hash: leafHash(canonicalHash, sha256) };
}

function treeLeaves(all: readonly TreeLeaf[]): TreeLeaves {
  const hashes = new Uint8Array(all.length * SHA256_BYTES);
  for (const [at, leaf] of all.entries()) hashes.set(leaf.hash, at * SHA256_BYTES);
  return {
    indexes: Float64Array.from(all, (leaf) => leaf.leafIndex),
    treeSizes: Float64Array.from(all, (leaf) => leaf.treeSize),
    hashes,
  };
}

/** In place. */
function inOrder<T extends { readonly leafIndex: number }>(all: T[]): T[] {
  return all.sort((a, b) => a.leafIndex - b.leafIndex);
}
