import { useSyncExternalStore } from 'react';

/** A call that the page made and that was answered, below the application's prefix. */
export interface ApiCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: unknown;
  /** Its Idempotency-Key. */
  readonly key?: string | undefined;
}

/** As many as one page makes, and some (calls). */
const KEPT_MAX = 12;

/** The calls of the page on screen, latest first: what "The same as code" shows. */
export function createCallList() {
  let calls: readonly ApiCall[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly ApiCall[]) => {
    calls = next;
    for (const listener of listeners) listener();
  };
  return {
    add(call: ApiCall): void {
      const key = `${call.method} ${call.path}`;
      set([call, ...calls.filter((each) => `${each.method} ${each.path}` !== key)].slice(0, KEPT_MAX));
    },
    clear: () => set([]),
    use: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        () => calls,
      ),
  };
}

export const pageCalls = createCallList();
