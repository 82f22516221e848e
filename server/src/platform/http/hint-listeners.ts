import type { Clock } from '../clock.ts';
import type { Hint } from './hint-streams.ts';

/** Those who are told hints. */
export interface HintListeners {
  readonly size: number;
  /** Tells what came in the last moments, then all that comes until what is returned is called. */
  add(tell: (hint: Hint) => void): () => void;
  tell(hints: Iterable<Hint>): void;
}

/**
 * A page reads what it shows before its stream is open, and a stream that broke off is open again some
 * seconds later: what changed in between is told for so long (ms).
 */
export const RECENT_MS = 10_000;

export function createHintListeners(clock: Pick<Clock, 'now'>): HintListeners {
  const listeners = new Set<(hint: Hint) => void>();
  /** By what they say, with the time of the last (ms). */
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
