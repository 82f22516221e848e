import { isUnavailable } from './database/failures.ts';

/** What is done again and again for many, and is worth a line of the log only when it begins to fail. */
export interface FirstFailures {
  failed(key: string, error: unknown): void;
  worked(key: string): void;
  /** It is done no longer. */
  forget(key: string): void;
}

/**
 * `tell` gets the first failure of each key since it last worked. A database that is away fails for all of
 * them: of that the first is told, until it works for one.
 */
export function createFirstFailures(tell: (key: string, error: unknown) => void): FirstFailures {
  const failing = new Set<string>();
  let isAway = false;
  return {
    failed(key, error) {
      const isTold = isUnavailable(error) ? isAway : failing.has(key);
      if (isUnavailable(error)) isAway = true;
      else failing.add(key);
      if (!isTold) tell(key, error);
    },
    worked(key) {
      isAway = false;
      failing.delete(key);
    },
    forget(key) {
      failing.delete(key);
    },
  };
}
