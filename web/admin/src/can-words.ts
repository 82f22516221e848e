import type { Translated, Words } from '../../shared/words/words.ts';

/** Why a role may not do something. */
const english = {
  needsAdmin: 'this needs the role admin; yours is support. Ask an admin of this installation.',
};

const spanish: Translated<typeof english> = {
  needsAdmin:
    'requiere el rol de administración y el suyo es de soporte. Pídalo a quien administra esta instalación.',
};

export const canWords: Words<typeof english> = { en: english, es: spanish };
