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

/** A wait between scans that new work ends. */
export interface Wait {
  /** A wake-up from here on ends the next wait at once. */
  listen(): void;
  wake(): void;
  upTo(ms: number): Promise<void>;
  /** Waits `pollMs`, or while idle longer, until there is work for anybody; at least `pauseMs`, if any. */
  between(pollMs: number, pauseMs?: number): Promise<void>;
}

export function createWait(idleBackOff: IdleBackOff | undefined): Wait {
  let woken = false;
  let end: (() => void) | null = null;

  function upTo(ms: number): Promise<void> {
    if (woken) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        end = null;
        resolve();
      }
      end = done;
    });
  }

  return {
    listen() {
      woken = false;
    },
    wake() {
      woken = true;
      idleBackOff?.stir();
      end?.();
    },
    upTo,
    async between(pollMs, pauseMs = 0) {
      const restMs = Math.max(pauseMs, 0);
      if (restMs > 0) await upTo(restMs);
      const waitMs = idleBackOff?.waitMs(pollMs) ?? pollMs;
      // Only longer waits need the wake-up.
      const forget = waitMs > pollMs ? idleBackOff?.onceStirred(() => end?.()) : undefined;
      await upTo(Math.max(waitMs - restMs, 0));
      forget?.();
    },
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
