import type { Translated, Words } from '../../shared/words/words.ts';

/** Why a role may not do something. */
const english = {
  needsDeveloper: 'your role may read only. Ask an owner of the account.',
  needsOwner: 'only owners may do this.',
};

const spanish: Translated<typeof english> = {
  needsDeveloper: 'su rol solo permite leer. Pídalo a un propietario de la cuenta.',
  needsOwner: 'solo los propietarios pueden hacerlo.',
};

export const canWords: Words<typeof english> = { en: english, es: spanish };
