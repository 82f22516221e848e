import type { Clock } from '../clock.ts';
import { every, type Repeating } from '../every.ts';
import { createFirstFailures } from '../first-failures.ts';
import type { Hint } from './hint-streams.ts';

type Tell = (hint: Hint) => void;

/** Hints for the followers of an owner: one look per second and owner, however many follow. */
export interface HintFeed {
  /** Calls `tell` with recent hints, then all new ones, until the returned function is called. */
  follow(owner: string, tell: Tell): () => void;
}

interface HintFeedOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Each call of a look returns the changes since the last call; the first, those of RECENT_MS. */
  createLook(owner: string): () => Promise<readonly Hint[]>;
  /** Called once for failures in a row. */
  onFailed(owner: string, error: unknown): void;
}

/**
 * How long hints are repeated to new streams (ms): a page reads before its stream opens, and streams
 * reconnect.
 */
export const RECENT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

interface Followed {
  readonly listeners: ReturnType<typeof createListeners>;
  readonly looking: Repeating;
}

export function createHintFeed({ clock, createLook, onFailed }: HintFeedOptions): HintFeed {
  const followed = new Map<string, Followed>();
  const failures = createFirstFailures(onFailed);

  function begin(owner: string): Followed {
    const listeners = createListeners(clock);
    const look = createLook(owner);
    const lookAndTell = async () => {
      const hints = await look();
      failures.worked(owner);
      listeners.tell(hints);
    };
    const looking = every(LOOK_EVERY_MS, lookAndTell, { onError: (error) => failures.failed(owner, error) });
    const made = { listeners, looking };
    followed.set(owner, made);
    looking.start();
    return made;
  }

  return {
    follow(owner, tell) {
      const { listeners, looking } = followed.get(owner) ?? begin(owner);
      const leave = listeners.add(tell);
      return () => {
        leave();
        if (listeners.size > 0 || followed.get(owner)?.looking !== looking) return;
        followed.delete(owner);
        failures.forget(owner);
        void looking.stop();
      };
    },
  };
}

/** The rows of a call that the call before did not have. */
export function createFresh<Row>(idOf: (row: Row) => string): (rows: readonly Row[]) => Row[] {
  let seen = new Set<string>();
  return (rows) => {
    const fresh = rows.filter((row) => !seen.has(idOf(row)));
    seen = new Set(rows.map(idOf));
    return fresh;
  };
}

function createListeners(clock: Pick<Clock, 'now'>) {
  const listeners = new Set<Tell>();
  const recent = new Map<string, { hint: Hint; toldMs: number }>();

  function forgetOld(): void {
    const oldestMs = clock.now().getTime() - RECENT_MS;
    for (const [key, { toldMs }] of recent) if (toldMs < oldestMs) recent.delete(key);
  }

  return {
    get size() {
      return listeners.size;
    },
    add(tell: Tell): () => void {
      forgetOld();
      for (const { hint } of recent.values()) tell(hint);
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    tell(hints: readonly Hint[]): void {
      forgetOld();
      const toldMs = clock.now().getTime();
      for (const hint of hints) {
        recent.set(`${hint.kind} ${hint.id}`, { hint, toldMs });
        for (const tell of listeners) tell(hint);
      }
    },
  };
}
