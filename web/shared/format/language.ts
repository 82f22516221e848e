import { useMemo } from 'react';
import { usePreferences } from '../app/preferences.tsx';

/** Names of languages in the reader's own: `Spanish (Mexico)` of `es-MX`; an unknown tag is itself. */
export function useLanguageName(): (tag: string) => string {
  const { language } = usePreferences();
  return useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'language' });
    return (tag) => {
      const name = nameOf(names, tag);
      return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
    };
  }, [language]);
}

/** Tags come from outside: not each of them is one that `Intl` takes. */
function nameOf(names: Intl.DisplayNames, tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
