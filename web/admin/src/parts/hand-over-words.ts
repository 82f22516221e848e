import type { Translated, Words } from '../../../shared/words/words.ts';

const english = { link: 'Sign-in link', done: 'I have copied it' };

const spanish: Translated<typeof english> = { link: 'Enlace de acceso', done: 'Ya lo copié' };

export const handOverWords: Words<typeof english> = { en: english, es: spanish };
