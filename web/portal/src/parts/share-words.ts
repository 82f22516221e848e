import type { Translated, Words } from '../../../shared/words/words.ts';

const english = {
  life: 'Opens for',
  lives: { '1': '1 day', '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' },
  until: (time: string) => `Until ${time}. It can be revoked before.`,
  note: 'Shared with (optional)',
  noteHint: 'For your access log. The link does not show it.',
  noteLong: (most: number) => `At most ${most} characters.`,
  create: 'Create link',
  madeTitle: 'The link',
  once: 'It is shown only once. Copy it now and hand it on.',
  link: 'Link',
  means: (time: string) =>
    `Whoever has it can open the proof until ${time}. Each opening is in the access log.`,
  done: 'I have copied it',
};

const spanish: Translated<typeof english> = {
  life: 'Vigencia',
  lives: { '1': '1 día', '7': '7 días', '30': '30 días', '90': '90 días', '365': '1 año' },
  until: (time: string) => `Hasta el ${time}. Puede revocarse antes.`,
  note: 'Para quién (opcional)',
  noteHint: 'Para su bitácora de accesos. El enlace no la muestra.',
  noteLong: (most: number) => `Máximo ${most} caracteres.`,
  create: 'Crear enlace',
  madeTitle: 'El enlace',
  once: 'Se muestra solo esta vez. Cópielo ahora y entréguelo.',
  link: 'Enlace',
  means: (time: string) =>
    `Quien lo tenga puede abrir la prueba hasta el ${time}. Cada apertura queda en la bitácora de accesos.`,
  done: 'Ya lo copié',
};

/** Texts of every link that shows evidence to a stranger. */
export const shareWords: Words<typeof english> = { en: english, es: spanish };
