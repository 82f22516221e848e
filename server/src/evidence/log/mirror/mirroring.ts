import { SHA256_BYTES } from '@acuse/evidence/bytes';
import { TILE_WIDTH } from '@acuse/evidence/tiles';
import type { Db } from '../../../platform/database/db.ts';
import { compareWithNote, type HeldLog } from '../anchor/compare.ts';
import { readEntries } from '../log-store.ts';
import { readHead } from '../sequence-store.ts';
import type { Block } from './block.ts';
import type { Mirror } from './mirror.ts';
import { readCheckpoints } from './mirror-store.ts';

export interface Mirroring {
  /** Copies all leaves up to `size`. Throws MirrorUnreachable, or an error if the mirror has another log. */
  copy(log: HeldLog, size: number): Promise<void>;
  /** Notes the progress for the next process. */
  published(log: HeldLog, size: number, note: string): Promise<void>;
}

/** Blocks in memory at a time: 16 384 leaves. */
const BLOCKS_PER_STEP = 64;

interface Known {
  /** Last read of the mirror's checkpoint file. */
  readonly note: string;
  readonly noteSize: number;
  readonly size: number;
}

export function createMirroring(db: Db, mirror: Mirror): Mirroring {
  const known = new Map<string, Known>();

  /** The first size that the mirror may lack. */
  async function start(log: HeldLog): Promise<number> {
    const note = await mirror.readCheckpoint(log.origin);
    // An emptied mirror is refilled.
    if (note === null) {
      known.delete(log.logId);
      return 0;
    }
    const before = known.get(log.logId);
    if (before?.note === note) return before.size;
    const head = await db.transact((tx) => readHead(tx, log.logId));
    const standing = await compareWithNote(db, log, head!, note);
    if (standing.kind !== 'same' && standing.kind !== 'continues')
      throw new Error(
        `log ${log.origin}: the mirror at ${mirror.place} is of another log than the database: it was published further, or contradicts it; acuse log mirror says more`,
      );
    const size = Math.max(standing.size, before?.size ?? 0);
    known.set(log.logId, { note, noteSize: standing.size, size });
    return size;
  }

  return {
    async copy(log, size) {
      const from = await start(log);
      if (from < size) await copyBlocks(db, mirror, log, { from, to: size });
      const before = known.get(log.logId);
      if (before !== undefined) known.set(log.logId, { ...before, size: Math.max(size, before.size) });
    },
    async published(log, size, note) {
      if (size === 0) return;
      const before = known.get(log.logId);
      // A block behind costs the next process one block.
      const isNear =
        before !== undefined && Math.floor(before.noteSize / TILE_WIDTH) === Math.floor(size / TILE_WIDTH);
      if (isNear) return;
      await mirror.writeCheckpoint(log.origin, note);
      known.set(log.logId, { note, noteSize: size, size: Math.max(size, before?.size ?? 0) });
    },
  };
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Writes all blocks of the range, replacing differing ones. */
export async function copyBlocks(db: Db, mirror: Mirror, log: HeldLog, { from, to }: Range): Promise<void> {
  const end = Math.ceil(to / TILE_WIDTH);
  for (let first = Math.floor(from / TILE_WIDTH); first < end; first += BLOCKS_PER_STEP) {
    const range = { from: first * TILE_WIDTH, to: Math.min(to, (first + BLOCKS_PER_STEP) * TILE_WIDTH) };
    await mirror.write(log.origin, await readBlocks(db, log, range));
  }
}

async function readBlocks(db: Db, log: HeldLog, { from, to }: Range): Promise<Block[]> {
  const entries = await readEntries(db, log.logId, from, to);
  if (entries.length !== to - from)
    throw new Error(`log ${log.origin}: of the leaves ${from} to ${to - 1} only ${entries.length} are here`);
  const checkpoints = await readCheckpoints(db, log.logId, { from, to });
  const blocks: Block[] = [];
  for (let at = from; at < to; at += TILE_WIDTH) {
    const some = entries.slice(at - from, at - from + TILE_WIDTH);
    blocks.push({
      index: at / TILE_WIDTH,
      entries: new Uint8Array(Buffer.concat(some, some.length * SHA256_BYTES)),
      checkpoints: checkpoints.filter(({ treeSize }) => treeSize > at && treeSize <= at + TILE_WIDTH),
    });
  }
  return blocks;
}
