import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { leafHash } from '@acuse/evidence/merkle';
import type { Db } from '../../platform/database/db.ts';
import { sha256 } from '../../platform/sha256.ts';
import { type LostLeaf, readLostLeaves } from '../log/log-store.ts';
import { readLeavesToCheck } from './fsck-leaf-store.ts';
import { checkLeafContents } from './fsck-leaves.ts';
import { checkOutcomes } from './fsck-outcomes.ts';
import { createReport, type FsckResult } from './fsck-report.ts';
import type { LogName } from './fsck-store.ts';

/** Leaves of one log, of indexes from `from` to before `to`. */
export interface Page {
  readonly log: LogName;
  readonly from: number;
  readonly to: number;
}

/** What the tree needs of the leaves of a page, in the order of their indexes: arrays of one length. */
export interface TreeLeaves {
  readonly indexes: Float64Array<ArrayBuffer>;
  readonly treeSizes: Float64Array<ArrayBuffer>;
  /** 32 bytes a leaf. */
  readonly hashes: Uint8Array<ArrayBuffer>;
}

export interface CheckedPage {
  readonly leaves: TreeLeaves;
  readonly found: FsckResult;
}

/** Every leaf of a page from its message: what needs no other page, so that pages are checked anywhere. */
export async function checkPage(db: Db, { log, from, to }: Page): Promise<CheckedPage> {
  const report = createReport();
  const rows = await readLeavesToCheck(db, log.logId, from, to);
  await checkLeafContents(db, log, rows, report);
  await checkOutcomes(db, log, rows, report);
  const lost = await readLostLeaves(db, log.logId, from, to);
  const all: readonly LostLeaf[] =
    lost.length === 0 ? rows : [...rows, ...lost].sort((a, b) => a.leafIndex - b.leafIndex);
  const hashes = new Uint8Array(all.length * SHA256_BYTES);
  for (const [at, leaf] of all.entries()) hashes.set(leafHash(leaf.canonicalHash, sha256), at * SHA256_BYTES);
  const leaves = {
    indexes: Float64Array.from(all, (leaf) => leaf.leafIndex),
    treeSizes: Float64Array.from(all, (leaf) => leaf.treeSize),
    hashes,
  };
  return { leaves, found: report.result() };
}
