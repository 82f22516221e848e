import type { Translated, Words } from '../words/words.ts';

const english = {
  added: 'Added:',
  removed: 'Removed:',
  gap: (shown: string, lines: number) => (lines === 1 ? '1 equal line' : `${shown} equal lines`),
};

const spanish: Translated<typeof english> = {
  added: 'Agregado:',
  removed: 'Quitado:',
  gap: (shown: string, lines: number) => (lines === 1 ? '1 línea igual' : `${shown} líneas iguales`),
};

export const diffWords: Words<typeof english> = { en: english, es: spanish };
