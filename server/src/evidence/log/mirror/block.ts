import { equalBytes, fromBase64, SHA256_BYTES, toBase64 } from '@acuse/evidence/bytes';
import { TILE_WIDTH } from '@acuse/evidence/tiles';
import { isId } from '../../../platform/ids.ts';

/**
 * Up to 256 leaves and the checkpoints that end among them. Entries determine the tree, so that no other tile
 * is kept.
 */
export interface Block {
  readonly index: number;
  /** Canonical hashes, 32 bytes each, 1 to 256. */
  readonly entries: Uint8Array;
  /** Sizes over index · 256 up to the end of the entries. */
  readonly checkpoints: readonly MirroredCheckpoint[];
}

/** With the database's facts; untrusted until the note is verified. */
export interface MirroredCheckpoint {
  readonly treeSize: number;
  readonly previousTreeSize: number;
  readonly batchId: string;
  readonly note: string;
  readonly createdAt: Date;
}

/** Fits 256 leaves and checkpoints with the longest origin. */
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

/** Same leaves and checkpoints, as far as both go. */
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
