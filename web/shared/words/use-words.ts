import { usePreferences } from '../app/preferences.tsx';
import type { Translated, Words } from './words.ts';

/** The catalogue of a screen in the reader's language. */
export function useWords<C>(words: Words<C>): Translated<C> {
  const { language } = usePreferences();
  return words[language] as Translated<C>;
}
