import type { Clock } from './clock.ts';

/**
 * When nothing happens. A process that has its database for itself, and for whom no work has come for a
 * while, looks for work less often: whatever comes next comes by way of itself, and stirs it. What falls due
 * by time alone is found a little later then.
 */
export interface Quiet {
  /** Work came, or was found: everybody looks as usual again, and those that wait long at once. */
  stir(): void;
  /** How long a look that found nothing waits, where it would wait `pollMs`. */
  waitMs(pollMs: number): number;
  /** Calls back once, at the next stir. Returns what takes that back. */
  onceStirred(callback: () => void): () => void;
}

/**
 * Runs `run` once, after `pollMs` or, while all is quiet, later; never before `pauseMs`. Returns what takes
 * that back.
 */
export function lookLater(
  quiet: Quiet | undefined,
  pollMs: number,
  pauseMs: number,
  run: () => void,
): () => void {
  const usualMs = Math.max(pollMs, pauseMs);
  const waitMs = Math.max(quiet?.waitMs(pollMs) ?? pollMs, pauseMs);
  const sooner = () => {
    clearTimeout(timer);
    timer = setTimeout(run, usualMs);
  };
  // Only what waits for longer than usual is called back.
  const forget = waitMs > usualMs ? quiet?.onceStirred(sooner) : undefined;
  let timer = setTimeout(() => {
    forget?.();
    run();
  }, waitMs);
  return () => {
    forget?.();
    clearTimeout(timer);
  };
}

/** Without work for so long (ms), all is quiet. */
const QUIET_AFTER_MS = 10_000;
/** Then a look waits so long (ms), unless it waits for longer anyway. */
export const QUIET_POLL_MS = 2_500;

/** `alone`: no other process may bring work. */
export function createQuiet(clock: Pick<Clock, 'monotonicMs'>, alone: () => boolean): Quiet {
  let stirredMs = clock.monotonicMs();
  const waiting = new Set<() => void>();
  return {
    stir() {
      stirredMs = clock.monotonicMs();
      if (waiting.size === 0) return;
      const called = [...waiting];
      waiting.clear();
      for (const callback of called) callback();
    },
    waitMs(pollMs) {
      const isQuiet = alone() && clock.monotonicMs() - stirredMs >= QUIET_AFTER_MS;
      return isQuiet ? Math.max(pollMs, QUIET_POLL_MS) : pollMs;
    },
    onceStirred(callback) {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
  };
}
