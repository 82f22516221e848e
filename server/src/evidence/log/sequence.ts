import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { type Checkpoint, openCheckpoint, signCheckpoint } from '@acuse/evidence/checkpoint';
import { addMldsa44 } from '@acuse/evidence/cosignature-mldsa44';
import { assertConsistency, emptyRoot, leafHash } from '@acuse/evidence/merkle';
import { appendLeaves, consistencyProof, edgeTiles, type TileReader } from '@acuse/evidence/tiles';
import type { PendingLeaves } from '../../messages/leaves/pending-store.ts';
import { deletePending, readOldestPending } from '../../messages/leaves/pending-store.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { ed25519 } from '../../platform/ed25519.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Anchor } from './anchor/anchor.ts';
import { publish, publishToAnchor } from './anchor/publish.ts';
import type { LogSigner } from './log-key.ts';
import { readTiles, type TileRow } from './log-store.ts';
import type { Mirroring } from './mirror/mirroring.ts';
import {
  advanceTreeSize,
  announceLog,
  enqueueStamp,
  insertCheckpoint,
  insertLeaves,
  type LogHead,
  type NewCheckpoint,
  readHead,
  upsertTiles,
} from './sequence-store.ts';
import { isStopped } from './stop-store.ts';

/**
 * Sequences pending leaves and signs their checkpoint.
 *
 * Any number of processes may run this: all compute, and `logs.tree_size` decides in the publishing
 * transaction.
 *
 * The log's order promises nothing else. A leaf's id is made before its message commits, so that an older id
 * may become visible later, and gets a later index.
 */

/** Bounds the transaction (some 20 MB) and memory. */
export const MAX_BATCH_LEAVES = 65_536;
/** Hashed between turns of the event loop: about 5 ms. */
const BYTES_PER_TURN = 2_048 * SHA256_BYTES;

interface SequenceDeps extends DbAndClock {
  /** Absent or null: the commit publishes a batch. */
  readonly anchor?: Anchor | null;
  /** Only with an anchor. */
  readonly mirror?: Mirroring | null;
}

export type SequenceResult =
  | { readonly kind: 'nothing_pending' }
  | { readonly kind: 'lost_race' }
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'sequenced';
      readonly leaves: number;
      readonly treeSize: number;
      readonly batchId: string;
    };

/** One batch. Throws, without signing, if the stored tree does not lead to the last signed checkpoint. */
export async function sequenceBatch(deps: SequenceDeps, log: LogSigner): Promise<SequenceResult> {
  const { anchor = null } = deps;
  if (await isStopped(deps.db, log.logId)) return { kind: 'stopped' };
  // Finishes after a crash, and checks that this database may be signed.
  if (anchor !== null) await publishToAnchor(deps, anchor, log);
  // The head before the leaves: after a concurrent publication the stale head fails the compare-and-swap. A
  // crash before the commit leaves no trace.
  const head = await readHead(deps.db, log.logId);
  if (head === undefined) throw new Error(`log ${log.origin} is not in the database`);
  if (head.isStopped) return { kind: 'stopped' };
  if (head.hasSecondKey && log.second === null)
    throw new Error(`log ${log.origin} was given a second key: restart this process`);
  // Left by a process with an anchor.
  if (anchor === null && head.publishedSize < head.treeSize) await publish(deps, log.logId, head.treeSize);
  const [leaves, edge] = await Promise.all([
    readOldestPending(deps.db, log.logId, MAX_BATCH_LEAVES),
    readTiles(deps.db, log.logId, edgeTiles(head.treeSize)),
  ]);
  if (leaves.count === 0) return { kind: 'nothing_pending' };

  const grown = await growTree(head.treeSize, leaves.canonicalHashes, edge);
  assertContinues(log, head, grown);

  // Signed in memory only: a crash loses an unseen signature.
  const { treeSize, rootHash } = grown;
  const createdAt = deps.clock.now();
  const note = signWithAll(log, { origin: log.origin, size: treeSize, rootHash }, createdAt);
  const checkpoint: NewCheckpoint = {
    logId: log.logId,
    treeSize,
    previousTreeSize: head.treeSize,
    batchId: newId(),
    rootHash,
    note,
    createdAt,
  };
  const batch = { checkpoint, leaves, tiles: grown.tiles, isPublished: anchor === null };
  const stored = await deps.db.transact((tx) => store(tx, batch));
  // After a crash here everything is stored, and the leaves are no longer pending.
  if (stored && anchor !== null) await publishToAnchor(deps, anchor, log);
  return stored
    ? { kind: 'sequenced', leaves: leaves.count, treeSize, batchId: checkpoint.batchId }
    : { kind: 'lost_race' };
}

/** Some 10 ms with two keys, once for a batch. */
function signWithAll({ signer, second }: LogSigner, checkpoint: Checkpoint, at: Date): string {
  const note = signCheckpoint(checkpoint, signer, sha256);
  if (second === null) return note;
  return addMldsa44(note, Math.floor(at.getTime() / 1000), second.signer, sha256);
}

interface GrownTree {
  readonly treeSize: number;
  readonly rootHash: Uint8Array;
  readonly tiles: readonly TileRow[];
  /** New tiles if there are any, else the old edge. */
  readonly readTile: TileReader;
}

async function growTree(
  oldSize: number,
  canonicalHashes: Uint8Array,
  edge: readonly TileRow[],
): Promise<GrownTree> {
  const key = (level: number, index: number) => `${level}/${index}`;
  const known = new Map(edge.map((tile) => [key(tile.level, tile.index), tile.hashes]));
  const grown = new Map<string, TileRow>();
  const readTile: TileReader = (level, index) =>
    grown.get(key(level, index))?.hashes ?? known.get(key(level, index)) ?? new Uint8Array(0);

  let treeSize = oldSize;
  let rootHash = emptyRoot(sha256);
  for (let from = 0; from < canonicalHashes.length; from += BYTES_PER_TURN) {
    const hashes = Uint8Array.from(canonicalHashes.subarray(from, from + BYTES_PER_TURN));
    for (let at = 0; at < hashes.length; at += SHA256_BYTES)
      hashes.set(leafHash(hashes.subarray(at, at + SHA256_BYTES), sha256), at);
    const next = appendLeaves(treeSize, hashes, readTile, sha256);
    for (const tile of next.tiles) grown.set(key(tile.level, tile.index), tile);
    treeSize = next.size;
    rootHash = next.rootHash;
    await yieldToOthers();
  }
  return { treeSize, rootHash, tiles: [...grown.values()], readTile };
}

/** Refuses to sign a tree that does not extend the last signed one, whoever changed it. */
function assertContinues(log: LogSigner, head: LogHead, grown: GrownTree): void {
  const signed = head.treeSize === 0 ? emptyCheckpoint() : openSigned(log, head);
  if (signed.size !== head.treeSize) {
    throw new Error(
      `log ${log.origin}: size ${head.treeSize}, but its last checkpoint is signed for ${signed.size}`,
    );
  }
  const path = consistencyProof(head.treeSize, grown.treeSize, grown.readTile, sha256);
  assertConsistency(
    {
      oldSize: head.treeSize,
      oldRoot: signed.rootHash,
      newSize: grown.treeSize,
      newRoot: grown.rootHash,
      path,
    },
    sha256,
  );
}

function emptyCheckpoint(): { size: number; rootHash: Uint8Array } {
  return { size: 0, rootHash: emptyRoot(sha256) };
}

function openSigned(log: LogSigner, head: LogHead): { size: number; rootHash: Uint8Array } {
  if (head.note === null)
    throw new Error(`log ${log.origin}: no checkpoint of its size ${head.treeSize} is stored`);
  return openCheckpoint(head.note, [log.key], ed25519).checkpoint;
}

interface Batch {
  readonly checkpoint: NewCheckpoint;
  readonly leaves: PendingLeaves;
  readonly tiles: readonly TileRow[];
  readonly isPublished: boolean;
}

/**
 * The commit that creates leaves, tiles and checkpoint, and publishes them without an anchor. False: another
 * sequencer was first.
 */
async function store(tx: Tx, { checkpoint, leaves, tiles, isPublished }: Batch): Promise<boolean> {
  const { logId, treeSize, previousTreeSize, createdAt } = checkpoint;
  // First, though it is the hottest row: a concurrent sequencer waits here without having written.
  const moved = { from: previousTreeSize, to: treeSize, isPublished };
  if (!(await advanceTreeSize(tx, logId, moved))) return false;
  // A crash here rolls everything back.
  const [deleted] = await Promise.all([
    deletePending(tx, leaves),
    insertLeaves(tx, logId, leaves, previousTreeSize, treeSize),
  ]);
  if (deleted !== leaves.count) {
    throw new Error(`${leaves.count - deleted} of ${leaves.count} leaves are not pending any more`);
  }
  await Promise.all([
    upsertTiles(tx, logId, tiles),
    insertCheckpoint(tx, checkpoint),
    ...(isPublished ? [enqueueStamp(tx, logId, treeSize, createdAt)] : []),
  ]);
  if (isPublished) announceLog(tx, logId);
  // A crash between commit and answer: published, and the next run continues. The same after an interrupted
  // standby wait: nothing built on it is shown before (published.ts).
  return true;
}
