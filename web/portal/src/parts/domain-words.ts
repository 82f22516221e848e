import type { Translated, Words } from '../../../shared/words/words.ts';

/** Words about domains on every page. */
const english = {
  statuses: { pending: 'Pending', verified: 'Verified', failing: 'Failing' },
  grace: 'Verified, records missing',
  degraded: 'Verified, not ready',
};

const spanish: Translated<typeof english> = {
  statuses: { pending: 'Pendiente', verified: 'Verificado', failing: 'Con fallas' },
  grace: 'Verificado, faltan registros',
  degraded: 'Verificado, no está listo',
};

export const domainWords: Words<typeof english> = { en: english, es: spanish };
