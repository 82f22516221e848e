import type { Translated, Words } from '../../../../shared/words/words.ts';

/** The name of the content that is of no language. */
const english = {
  ownLanguage: 'Default',
};

const spanish: Translated<typeof english> = {
  ownLanguage: 'Predeterminado',
};

export const languageWords: Words<typeof english> = { en: english, es: spanish };
