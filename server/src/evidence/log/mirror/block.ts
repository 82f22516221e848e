import { equalBytes, fromBase64, SHA256_BYTES, toBase64 } from '@acuse/evidence/bytes';
import { TILE_WIDTH } from '@acuse/evidence/tiles';
import { isId } from '../../../platform/ids.ts';

/**
 * Up to 256 leaves of a log, and the checkpoints that end among them, as the mirror keeps them. The whole
 * tree follows from its entries, so no other tile is kept.
 */
export interface Block {
  /** The first leaf is that of index · 256. */
  readonly index: number;
  /** Canonical hashes side by side, 32 bytes a leaf: 1 to 256. */
  readonly entries: Uint8Array;
  /** Of sizes over index · 256 and up to where the entries end, in their order. */
  readonly checkpoints: readonly MirroredCheckpoint[];
}

/** A checkpoint with what the database knows of it: nothing here is believed before the note is verified. */
export interface MirroredCheckpoint {
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly batchId: string;
  readonly note: string;
  readonly createdAt: Date;
}

/** 256 leaves under 256 checkpoints of the longest origin stay below it. */
export const BLOCK_MAX_BYTES = 1024 * 1024;
const VERSION = 1;

export const leavesOf = ({ entries }: Block) => entries.length / SHA256_BYTES;

export function formatBlock({ index, entries, checkpoints }: Block): string {
  const lines = {
    version: VERSION,
    index,
    entries: toBase64(entries),
    checkpoints: checkpoints.map(({ treeSize, previousTreeSize, batchId, note, createdAt }) => ({
      ...{ tree_size: treeSize, previous_tree_size: previousTreeSize },
      ...{ batch_id: batchId, created_at: createdAt.toISOString(), note },
    })),
  };
  return `${JSON.stringify(lines)}\n`;
}

/** Null: it is not one. */
export function parseBlock(text: string, index: number): Block | null {
  let read: Record<string, unknown>;
  try {
    read = JSON.parse(text) ?? {};
  } catch {
    return null;
  }
  const { entries: encoded, checkpoints: given } = read;
  if (read['version'] !== VERSION || read['index'] !== index || typeof encoded !== 'string') return null;
  const entries = fromBase64(encoded);
  const leaves = (entries?.length ?? 0) / SHA256_BYTES;
  if (entries === undefined || !Number.isInteger(leaves) || leaves < 1 || leaves > TILE_WIDTH) return null;
  if (!Array.isArray(given)) return null;
  const checkpoints = given.map(parseCheckpoint);
  const from = index * TILE_WIDTH;
  let last = from;
  for (const checkpoint of checkpoints) {
    if (checkpoint === null || checkpoint.treeSize <= last || checkpoint.treeSize > from + leaves)
      return null;
    last = checkpoint.treeSize;
  }
  return { index, entries, checkpoints: checkpoints as MirroredCheckpoint[] };
}

/** As far as both go, they have the same leaves and the same checkpoints. */
export function agree(a: Block, b: Block): boolean {
  const leaves = Math.min(leavesOf(a), leavesOf(b));
  const bytes = leaves * SHA256_BYTES;
  if (!equalBytes(a.entries.subarray(0, bytes), b.entries.subarray(0, bytes))) return false;
  const end = a.index * TILE_WIDTH + leaves;
  const notes = ({ checkpoints }: Block) =>
    checkpoints
      .filter(({ treeSize }) => treeSize <= end)
      .map(({ note }) => note)
      .join('\n');
  return notes(a) === notes(b);
}

function parseCheckpoint(value: unknown): MirroredCheckpoint | null {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { tree_size: treeSize, previous_tree_size: previousTreeSize, batch_id: batchId, note } = given;
  const at = given['created_at'];
  const createdAt = new Date(typeof at === 'string' ? at : Number.NaN);
  if (!isSize(treeSize) || !isSize(previousTreeSize) || previousTreeSize >= treeSize) return null;
  if (typeof batchId !== 'string' || !isId(batchId) || typeof note !== 'string') return null;
  if (Number.isNaN(createdAt.getTime())) return null;
  return { treeSize, previousTreeSize, batchId, note, createdAt };
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
