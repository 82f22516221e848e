import { Counts } from './counts.ts';

/** Bytes that clients make us hold, in all and per owner (an account, a network), each bounded. */
export interface HeldBytes {
  open(owners: readonly string[]): Holding;
  readonly total: number;
}

export interface Holding {
  /** False, and nothing counted, if over a bound. */
  add(bytes: number): boolean;
  release(): void;
}

interface HeldBytesOptions {
  readonly maxBytes: number;
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
