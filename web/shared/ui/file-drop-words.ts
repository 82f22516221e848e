import type { Translated, Words } from '../words/words.ts';

const english = {
  choose: 'Choose a file',
  orDrop: 'or drop it here',
};

const spanish: Translated<typeof english> = {
  choose: 'Elegir un archivo',
  orDrop: 'o suéltelo aquí',
};

export const fileDropWords: Words<typeof english> = { en: english, es: spanish };
