import type { Clock } from '../clock.ts';
import type { Hint } from './hint-streams.ts';

export interface HintListeners {
  readonly size: number;
  /** Sends recent hints, then all new ones, until the returned function is called. */
  add(tell: (hint: Hint) => void): () => void;
  tell(hints: Iterable<Hint>): void;
}

/**
 * How long hints are repeated to new streams (ms): a page reads before its stream opens, and streams
 * reconnect.
 */
export const RECENT_MS = 10_000;

export function createHintListeners(clock: Pick<Clock, 'now'>): HintListeners {
  const listeners = new Set<(hint: Hint) => void>();
  const recent = new Map<string, { hint: Hint; toldMs: number }>();

  function forgetOld(): void {
    const oldestMs = clock.now().getTime() - RECENT_MS;
    for (const [key, { toldMs }] of recent) if (toldMs < oldestMs) recent.delete(key);
  }

  return {
    get size() {
      return listeners.size;
    },
    add(tell) {
      forgetOld();
      for (const { hint } of recent.values()) tell(hint);
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    tell(hints) {
      forgetOld();
      const toldMs = clock.now().getTime();
      for (const hint of hints) {
        recent.set(`${hint.kind} ${hint.id}`, { hint, toldMs });
        for (const tell of listeners) tell(hint);
      }
    },
  };
}
