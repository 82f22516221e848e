import { useSyncExternalStore } from 'react';

/** The account that this browser works for, kept over visits. */
const KEY = 'acuse.account';
const listeners = new Set<() => void>();
let chosen: string | null = read();

export function chosenAccount(): string | null {
  return chosen;
}

export function chooseAccount(id: string | null): void {
  if (id === chosen) return;
  chosen = id;
  try {
    if (id === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, id);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

export function useChosenAccount(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenAccount);
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
