import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Language, languageOf } from '../words/words.ts';

/** How somebody wants to read: kept in this browser, and with the person once one is signed in. */
export interface Preferences {
  readonly language: Language;
  readonly theme: Theme;
  /** IANA name. */
  readonly timeZone: string;
  /** Shortcuts of a single key, which speech input triggers by accident. WCAG 2.1.4 */
  readonly singleKeys: boolean;
}

export type Theme = 'system' | 'light' | 'dark';

interface Store extends Preferences {
  change(change: Partial<Preferences>): void;
}

const KEY = 'acuse.preferences';
export const DEFAULT_TIME_ZONE = 'America/Mexico_City';

const Context = createContext<Store | null>(null);

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [kept, setKept] = useState(readPreferences);
  useEffect(() => {
    document.documentElement.lang = kept.language === 'es' ? 'es-MX' : 'en';
    if (kept.theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = kept.theme;
  }, [kept]);
  const store = useMemo<Store>(
    () => ({
      ...kept,
      change(change) {
        const next = { ...kept, ...change };
        setKept(next);
        writePreferences(next);
      },
    }),
    [kept],
  );
  return <Context.Provider value={store}>{children}</Context.Provider>;
}

export function usePreferences(): Store {
  const store = useContext(Context);
  if (store === null) throw new Error('outside of PreferencesProvider');
  return store;
}

function readPreferences(): Preferences {
  const fallback: Preferences = {
    language: languageOf(navigator.languages),
    theme: 'system',
    timeZone: DEFAULT_TIME_ZONE,
    singleKeys: true,
  };
  try {
    return { ...fallback, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    // Storage that is off or holds what somebody else wrote: as a first visit.
    return fallback;
  }
}

function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}
