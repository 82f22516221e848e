import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { edgeTiles } from '@acuse/evidence/tiles';
import { verifierKey } from '@acuse/evidence/verifier-key';
import {
  deletePendingLeaf,
  type PendingLeaf,
  readAllPending,
} from '../../../messages/leaves/pending-store.ts';
import type { DbAndClock, Tx } from '../../../platform/database/db.ts';
import { ed25519 } from '../../../platform/ed25519.ts';
import { sha256 } from '../../../platform/sha256.ts';
import type { HeldLog } from '../anchor/compare.ts';
import { type LostLeaf, readTiles, type TileRow } from '../log-store.ts';
import {
  advanceTreeSize,
  announceLog,
  enqueueStamps,
  insertCheckpoint,
  readHead,
  setPublished,
  upsertTiles,
} from '../sequence-store.ts';
import type { Mirror } from './mirror.ts';
import { insertLostLeaves, insertPlacedLeaf } from './mirror-store.ts';
import { MirrorWrong, type ReadLeaves, readMirror } from './read-mirror.ts';

/**
 * Brings a restored log up to what was published, from the mirror: the same leaves and checkpoints, so that
 * it
 * continues with its origin and key and one history.
 *
 * Everything is verified first, then read again and written in one transaction that locks the log: a crash
 * changes nothing, and of concurrent calls one writes.
 */
export interface CaughtUp {
  readonly from: number;
  readonly to: number;
  /** Leaves whose messages are lost. */
  readonly lost: number;
  /** Leaves that waited here and got their old place. */
  readonly placed: number;
}

/**
 * `published`: the newest published note, ahead of the database. Null: the log changed meanwhile. Throws
 * MirrorWrong, MirrorUnreachable; then nothing was changed.
 */
export async function catchUp(
  deps: DbAndClock,
  mirror: Mirror,
  log: HeldLog,
  published: string,
): Promise<CaughtUp | null> {
  const { db } = deps;
  const from = (await readHead(db, log.logId))?.treeSize ?? 0;
  const key = verifierKey(log.origin, log.publicKey, sha256);
  if (openCheckpoint(published, [key], ed25519).checkpoint.size <= from) return null;
  const edge = await readTiles(db, log.logId, edgeTiles(from));
  const reading = { from: { size: from, edge }, upTo: published };
  try {
    await readMirror(mirror, log, reading);
  } catch (error) {
    if (!(error instanceof MirrorWrong) || from === 0) throw error;
    // Throws if the mirror is faulty.
    await readMirror(mirror, log, { from: { size: 0, edge: [] }, upTo: published });
    throw new MirrorWrong(
      'contradicts',
      `log ${log.origin}: the ${from} leaves of the database are not those that were published; the mirror at ${mirror.place} is whole`,
    );
  }
  // A crash here changes nothing.
  return db.transact((tx) => write(deps, tx, { mirror, log, reading }));
}

interface Writing {
  readonly mirror: Mirror;
  readonly log: HeldLog;
  readonly reading: {
    readonly from: { readonly size: number; readonly edge: TileRow[] };
    readonly upTo: string;
  };
}

async function write(
  { clock }: DbAndClock,
  tx: Tx,
  { mirror, log, reading }: Writing,
): Promise<CaughtUp | null> {
  const { logId } = log;
  const key = verifierKey(log.origin, log.publicKey, sha256);
  const from = reading.from.size;
  const to = openCheckpoint(reading.upTo, [key], ed25519).checkpoint.size;
  // First, so that a concurrent call waits and then finds another size.
  if (!(await advanceTreeSize(tx, logId, { from, to, isPublished: false }))) return null;
  const waiting = new Map((await readAllPending(tx, logId)).map((leaf) => [hexOf(leaf.canonicalHash), leaf]));
  let placed = 0;
  const tail = createTail(async (leaves) => {
    placed += await writeLeaves(tx, logId, leaves, waiting);
  });
  const onLeaves = async (read: ReadLeaves) => {
    await upsertTiles(tx, logId, read.tiles);
    for (const { note, ...checkpoint } of read.checkpoints) {
      const { rootHash } = openCheckpoint(note, [key], ed25519).checkpoint;
      await insertCheckpoint(tx, { logId, ...checkpoint, note, rootHash });
    }
    await tail.add(read);
  };
  // If the mirror has changed, everything is rolled back.
  await readMirror(mirror, log, { ...reading, onLeaves });
  const before = (await setPublished(tx, logId, to)) ?? to;
  await enqueueStamps(tx, logId, { after: before, upTo: to }, clock.now());
  announceLog(tx, logId);
  // A crash before the commit changes nothing; after it, the next call finds the log caught up.
  return { from, to, lost: to - from - placed, placed };
}

/** Flushes leaves once their checkpoint is known. */
function createTail(flush: (leaves: LostLeaf[]) => Promise<void>) {
  let open: { leafIndex: number; canonicalHash: Uint8Array }[] = [];
  return {
    async add({ first, entries, checkpoints }: ReadLeaves): Promise<void> {
      for (let at = 0; at < entries.length; at += SHA256_BYTES)
        open.push({
          leafIndex: first + at / SHA256_BYTES,
          canonicalHash: entries.subarray(at, at + SHA256_BYTES),
        });
      for (const { treeSize } of checkpoints) {
        const covered = open.filter(({ leafIndex }) => leafIndex < treeSize);
        open = open.filter(({ leafIndex }) => leafIndex >= treeSize);
        await flush(covered.map((leaf) => ({ ...leaf, treeSize })));
      }
    },
  };
}

/** Waiting leaves are placed, others kept by hash. Returns how many waited. */
async function writeLeaves(
  tx: Tx,
  logId: string,
  leaves: readonly LostLeaf[],
  waiting: Map<string, PendingLeaf>,
): Promise<number> {
  const lost: LostLeaf[] = [];
  let placed = 0;
  for (const leaf of leaves) {
    const here = waiting.get(hexOf(leaf.canonicalHash));
    if (here === undefined) {
      lost.push(leaf);
      continue;
    }
    waiting.delete(hexOf(leaf.canonicalHash));
    await deletePendingLeaf(tx, here);
    await insertPlacedLeaf(tx, logId, { ...here, ...leaf });
    placed++;
  }
  if (lost.length > 0) await insertLostLeaves(tx, logId, lost);
  return placed;
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
