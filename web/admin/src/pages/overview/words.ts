import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Overview',
};

const spanish: Translated<typeof english> = {
  title: 'Resumen',
};

export const overviewWords: Words<typeof english> = { en: english, es: spanish };
