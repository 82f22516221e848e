import { Counts } from './counts.ts';

/**
 * Bytes that clients make us hold, in all and per owner (an account, a network), each bounded. When all is
 * full, the largest owner gives up what it is slow to send or to read, as of places (docs/decisions/0051).
 */
export interface HeldBytes {
  /** `around`: the larger networks of its owners, which are not bounded but may be the largest. */
  open(owners: readonly string[], around?: readonly string[]): Holding;
  readonly total: number;
}

export interface Holding {
  /** True if so much would fit, counting what others would give up; nothing is given up yet. */
  wouldFit(bytes: number): boolean;
  /** False, and nothing counted, if over a bound. */
  add(bytes: number): boolean;
  /** Bytes that are there already. Beyond the bound the largest owner gives up some, perhaps these. */
  force(bytes: number): void;
  /** Its client is waited for: `drop`, called once at most, takes its bytes away. Null: it is in use. */
  yields(drop: (() => void) | null): void;
  release(): void;
}

interface HeldBytesOptions {
  readonly maxBytes: number;
  readonly maxBytesOfOne: number;
}

interface Held {
  /** And around them. */
  readonly holders: readonly string[];
  bytes: number;
  drop: (() => void) | null;
}

export function createHeldBytes({ maxBytes, maxBytesOfOne }: HeldBytesOptions): HeldBytes {
  const heldBy = new Counts();
  const yielding = new Set<Held>();
  let total = 0;

  function count(held: Held, bytes: number): void {
    held.bytes += bytes;
    total += bytes;
    for (const holder of held.holders) heldBy.add(holder, bytes);
  }

  const ofHolder = ({ holders }: Held) => Math.max(...holders.map((holder) => heldBy.of(holder)));

  function setYielding(held: Held, drop: (() => void) | null): void {
    held.drop = drop;
    if (drop === null) yielding.delete(held);
    else yielding.add(held);
  }

  function giveUp(held: Held): void {
    const { drop } = held;
    setYielding(held, null);
    count(held, -held.bytes);
    drop!();
  }

  /** False: no waiting owner holds more than this one would. */
  function makeRoom(held: Held, bytes: number): boolean {
    if (total + bytes <= maxBytes) return true;
    const wanted = ofHolder(held) + bytes;
    while (total + bytes > maxBytes) {
      const gone = largestOf(yielding, ofHolder);
      if (gone === null || ofHolder(gone) <= wanted) return false;
      giveUp(gone);
    }
    return true;
  }

  function couldGive(held: Held, bytes: number): number {
    if (total + bytes <= maxBytes) return 0;
    const wanted = ofHolder(held) + bytes;
    return [...yielding].reduce((sum, each) => sum + (ofHolder(each) > wanted ? each.bytes : 0), 0);
  }

  const fits = (owners: readonly string[], bytes: number) =>
    owners.every((owner) => heldBy.of(owner) + bytes <= maxBytesOfOne);

  return {
    open(owners, around = []) {
      const held: Held = { holders: [...owners, ...around], bytes: 0, drop: null };
      return {
        wouldFit: (bytes) => fits(owners, bytes) && total + bytes - couldGive(held, bytes) <= maxBytes,
        add(bytes) {
          if (!fits(owners, bytes) || !makeRoom(held, bytes)) return false;
          count(held, bytes);
          return true;
        },
        force(bytes) {
          count(held, bytes);
          while (total > maxBytes) {
            const gone = largestOf(yielding, ofHolder);
            if (gone === null) return;
            giveUp(gone);
          }
        },
        yields: (drop) => setYielding(held, drop),
        release() {
          setYielding(held, null);
          count(held, -held.bytes);
        },
      };
    },
    get total() {
      return total;
    },
  };
}

/** The largest entry of the largest holder; of equal ones the oldest. */
function largestOf(yielding: Iterable<Held>, ofHolder: (held: Held) => number): Held | null {
  let found: Held | null = null;
  for (const each of yielding) {
    const more = found === null ? 1 : ofHolder(each) - ofHolder(found) || each.bytes - found.bytes;
    if (more > 0) found = each;
  }
  return found;
}
