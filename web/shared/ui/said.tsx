import { useEffect, useMemo, useState } from 'react';
import { usePreferences } from '../app/preferences.tsx';
import { visible } from '../format/foreign-text.ts';
import { useFormat } from '../format/format.ts';

type InWords = typeof import('../words/in-words.ts');

/** Null once it could not be loaded: the server's texts stay English then. */
let inWords: InWords | null | undefined;

/**
 * A text of the server in the reader's words, or null where there are none. Empty while the words are loaded,
 * which begins with the first text to be shown, because few pages show any.
 */
export function useWorded(): (text: string) => string | null {
  const { language } = usePreferences();
  const format = useFormat();
  const [module, setModule] = useState(inWords);
  useEffect(() => {
    if (inWords !== undefined) return setModule(inWords);
    import('../words/in-words.ts').then(
      (loaded) => {
        inWords = loaded;
        setModule(loaded);
      },
      () => {
        inWords = null;
        setModule(null);
      },
    );
  }, []);
  return useMemo(() => {
    if (module === undefined) return () => '';
    return module === null ? () => null : module.createWorder(language, format);
  }, [module, language, format]);
}

/** A text of the server: in the reader's words, or marked as the English that it is. */
export function Said({ text }: { text: string }) {
  const known = useWorded()(text);
  return known === null ? <span lang="en">{visible(text)}</span> : known;
}
