import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  factorNeeded: 'operators of this installation need a second factor. acuse operators reset sets up another.',
};

const spanish: Translated<typeof english> = {
  factorNeeded:
    'los operadores de esta instalación requieren un segundo factor. acuse operators reset permite configurar otro.',
};

export const operatorWords: Words<typeof english> = { en: english, es: spanish };
