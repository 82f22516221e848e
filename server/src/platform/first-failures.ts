import { isUnavailable } from './database/failures.ts';

interface FirstFailures {
  failed(key: string, error: unknown): void;
  worked(key: string): void;
  forget(key: string): void;
}

/**
 * `tell` gets the first failure of each key since it last worked. While the database is away, only one
 * failure is reported.
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
