import { type ReactNode, useEffect } from 'react';
import { usePreferences } from '../../shared/app/preferences.tsx';
import { SealIcon } from '../../shared/ui/seal.tsx';
import { useWords } from '../../shared/words/use-words.ts';
import { LANGUAGES } from '../../shared/words/words.ts';
import { mailboxWords } from './words.ts';

/** Names of languages stand in the language itself. */
const NAMES = { es: 'Español', en: 'English' } as const;

/** The bar at the top: what this is, what can be done with all of it, the language. */
export function Top({ children }: { children?: ReactNode }) {
  const words = useWords(mailboxWords);
  const { language, change } = usePreferences();
  useEffect(() => {
    document.title = words.title;
  }, [words]);
  return (
    <header className="top">
      <span className="brand">
        <SealIcon state="sealed" />
        {words.title}
      </span>
      {children}
      <span className="languages">
        {LANGUAGES.map((each) => (
          <button
            key={each}
            type="button"
            lang={each}
            aria-pressed={each === language}
            onClick={() => change({ language: each })}
          >
            {NAMES[each]}
          </button>
        ))}
      </span>
    </header>
  );
}
