import type { Translated, Words } from '../../../shared/words/words.ts';

const english = {
  label: 'Sections of verification',
  verify: 'Verify',
  log: 'Access log',
  operator: 'Operator',
};

const spanish: Translated<typeof english> = {
  label: 'Secciones de verificación',
  verify: 'Verificar',
  log: 'Bitácora de accesos',
  operator: 'Operador',
};

export const verifyTabsWords: Words<typeof english> = { en: english, es: spanish };
