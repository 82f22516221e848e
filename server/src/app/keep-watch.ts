import { every, type Repeating } from '../platform/every.ts';
import { createFirstFailures } from '../platform/first-failures.ts';

export function keepWatch(
  everyMs: number,
  look: () => Promise<void>,
  { isAway, onFailed }: { isAway(error: unknown): boolean; onFailed(error: unknown): void },
): { readonly looking: Repeating; isThere(): boolean } {
  let isThere = true;
  const failures = createFirstFailures((_place, error) => onFailed(error));
  const looking = every(
    everyMs,
    async () => {
      await look();
      isThere = true;
      failures.worked(WATCHED);
    },
    {
      onError(error) {
        if (isAway(error)) isThere = false;
        failures.failed(WATCHED, error);
      },
    },
  );
  return { looking, isThere: () => isThere };
}

/** Each watch counts its own failures. */
const WATCHED = '';
