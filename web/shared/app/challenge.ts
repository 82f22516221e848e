import { useSyncExternalStore } from 'react';
import type { Challenge } from '../api/client.ts';

/**
 * A question to the reader in the middle of something: to sign in again, or to confirm who they are. Calls
 * that need it wait; all of them go on together.
 */
export interface Challenges {
  /** True once it is lifted, false when the reader gave up. */
  ask(kind: Challenge): Promise<boolean>;
  settle(lifted: boolean): void;
  /** The open question. */
  useAsked(): Challenge | null;
}

export function createChallenges(): Challenges {
  let asked: Challenge | null = null;
  let waiting: ((lifted: boolean) => void)[] = [];
  const listeners = new Set<() => void>();
  const announce = () => {
    for (const listener of listeners) listener();
  };
  return {
    ask(kind) {
      // Somebody without a session cannot confirm anything: the graver question is put first.
      asked = asked === 'session' ? 'session' : kind;
      announce();
      return new Promise((resolve) => waiting.push(resolve));
    },
    settle(lifted) {
      const settled = waiting;
      [asked, waiting] = [null, []];
      announce();
      for (const resolve of settled) resolve(lifted);
    },
    useAsked: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        () => asked,
      ),
  };
}
