import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Home',
};

const spanish: Translated<typeof english> = {
  title: 'Inicio',
};

export const homeWords: Words<typeof english> = { en: english, es: spanish };
