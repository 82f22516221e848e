import type { Translated, Words } from '../words/words.ts';

const english = { before: 'Before: ', after: 'After: ' };

const spanish: Translated<typeof english> = { before: 'Antes: ', after: 'Después: ' };

export const differencesWords: Words<typeof english> = { en: english, es: spanish };
