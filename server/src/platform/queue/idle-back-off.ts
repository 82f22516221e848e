import type { Clock } from '../clock.ts';

/**
 * Idle back-off: a process alone on its database, without work for a while, scans less often. New work wakes
 * it; only work that falls due by time is found a little later.
 */
export interface IdleBackOff {
  /** Work arrived or was found: scan at the usual pace, at once if waiting. */
  stir(): void;
  /** How long to wait after an empty scan that usually waits `pollMs`. */
  waitMs(pollMs: number): number;
  /** Calls back once, at the next stir. Returns the canceller. */
  onceStirred(callback: () => void): () => void;
}

/** Runs `run` once, after `pollMs`, or later while idle; never before `pauseMs`. Returns the canceller. */
export function lookLater(
  quiet: IdleBackOff | undefined,
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
  // Only longer waits need the wake-up.
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

/** Idle after this time without work (ms). */
const QUIET_AFTER_MS = 10_000;
/** Wait between scans while idle (ms), unless it is longer anyway. */
export const IDLE_POLL_MS = 2_500;

/** `alone`: no other process may bring work. */
export function createIdleBackOff(clock: Pick<Clock, 'monotonicMs'>, alone: () => boolean): IdleBackOff {
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
      return isQuiet ? Math.max(pollMs, IDLE_POLL_MS) : pollMs;
    },
    onceStirred(callback) {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
  };
}
