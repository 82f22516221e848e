import type { Clock } from '../../src/platform/clock.ts';

export interface HoldableClock extends Clock {
  /** While this runs, durations stand still: no limit gives back what a flood took, however slow that is. */
  held<T>(work: () => Promise<T>): Promise<T>;
}

/** `aheadMs`: how far it is ahead of the machine's clock. */
export function holdableClock(aheadMs: () => number = () => 0): HoldableClock {
  let heldMs: number | null = null;
  return {
    now: () => new Date(Date.now() + aheadMs()),
    monotonicMs: () => (heldMs ?? performance.now()) + aheadMs(),
    async held(work) {
      heldMs = performance.now();
      try {
        return await work();
      } finally {
        heldMs = null;
      }
    },
  };
}
