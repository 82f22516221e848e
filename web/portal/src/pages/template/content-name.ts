import { useLanguageName } from '../../../../shared/format/language.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { OWN } from './draft.ts';
import { languageWords } from './language-words.ts';

/** A language as people call it, with its tag: `Spanish (es)`. */
export function useContentName(): (tag: string) => string {
  const words = useWords(languageWords);
  const nameOf = useLanguageName();
  return (tag) => (tag === OWN ? words.ownLanguage : `${nameOf(tag)} · ${tag}`);
}
