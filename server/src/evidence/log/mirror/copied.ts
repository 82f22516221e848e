import { TILE_WIDTH } from '@acuse/evidence/tiles';
import { leavesOf } from './block.ts';
import type { Mirror } from './mirror.ts';

export interface Looking {
  /** Blocks of 256 leaves that are looked at, at most, from the newest. */
  readonly blocks: number;
  readonly signal?: AbortSignal;
}

/**
 * How many of the first `size` leaves of a log are in the mirror, by its newest files: it reads those and not
 * the ones before. Where it looked at nothing but gaps, the most that there can be. Throws MirrorUnreachable.
 */
export async function copiedOf(
  mirror: Mirror,
  origin: string,
  size: number,
  { blocks, signal }: Looking,
): Promise<number> {
  const last = Math.ceil(size / TILE_WIDTH) - 1;
  const first = Math.max(0, last - blocks + 1);
  for (let index = last; index >= first && signal?.aborted !== true; index--) {
    const block = await mirror.read(origin, index, 1);
    if (block !== null) return Math.min(size, index * TILE_WIDTH + leavesOf(block));
  }
  return first * TILE_WIDTH;
}
