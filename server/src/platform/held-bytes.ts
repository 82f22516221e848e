import { Counts } from './counts.ts';

/**
 * Bytes that clients have had us hold at once, in all and by owner: an account, a network. What one owner
 * holds is bounded to a share, so that none can take the room of the others.
 */
export interface HeldBytes {
  /** A holding of nothing yet, counted with each of its owners. */
  open(owners: readonly string[]): Holding;
  /** Of all holdings. */
  readonly total: number;
}

export interface Holding {
  /** Counts more bytes in; false, and none of them counted, when that is over a bound. */
  add(bytes: number): boolean;
  /** Gives everything back. Safe to call more than once. */
  release(): void;
}

export interface HeldBytesOptions {
  readonly maxBytes: number;
  /** Of one owner. */
  readonly maxBytesOfOne: number;
}

export function createHeldBytes({ maxBytes, maxBytesOfOne }: HeldBytesOptions): HeldBytes {
  const heldBy = new Counts();
  let total = 0;

  function count(owners: readonly string[], bytes: number): void {
    total += bytes;
    for (const owner of owners) heldBy.add(owner, bytes);
  }

  return {
    open(owners) {
      let held = 0;
      return {
        add(bytes) {
          const fits = (owner: string) => heldBy.of(owner) + bytes <= maxBytesOfOne;
          if (total + bytes > maxBytes || !owners.every(fits)) return false;
          held += bytes;
          count(owners, bytes);
          return true;
        },
        release() {
          count(owners, -held);
          held = 0;
        },
      };
    },
    get total() {
      return total;
    },
  };
}
