import { TILE_WIDTH } from '@acuse/evidence/tiles';
import { leavesOf } from './block.ts';
import type { Mirror } from './mirror.ts';

export interface Looking {
  readonly blocks: number;
  readonly signal?: AbortSignal;
}

/**
 * How many of the first `size` leaves the mirror has, judged by its newest files. If only gaps were seen, an
 * upper bound. Throws MirrorUnreachable.
 */
export async function countMirrored(
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
