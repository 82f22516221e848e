import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Prove it',
  lead: 'Makes a link for somebody without an account: their browser checks the proof by itself.',
  show: 'What it shows',
  message: 'The whole message, with sender, recipient and subject',
  delivery: 'Delivery, with the answers of the servers; names the recipient',
  closed: 'Everything else stays closed: the proof shows that it exists and has not changed.',
  nothing: 'Choose at least one thing to show.',
  types: { 'text/plain': 'Text', 'text/html': 'HTML' },
  life: 'Opens for',
  lives: { '1': '1 day', '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' },
  until: (time: string) => `Until ${time}. It can be revoked before.`,
  note: 'For whom (optional)',
  noteHint: 'For your access log. The link does not show it.',
  noteLong: (most: number) => `At most ${most} characters.`,
  create: 'Create link',
  madeTitle: 'The link',
  once: 'It is shown this once. Copy it now and hand it on.',
  link: 'Link',
  means: (time: string) =>
    `Whoever has it can open the proof until ${time}. Each opening is in the access log.`,
  done: 'I have copied it',
};

const spanish: Translated<typeof english> = {
  title: 'Acreditar',
  lead: 'Crea un enlace para alguien sin cuenta: su propio navegador verifica la evidencia.',
  show: 'Qué muestra',
  message: 'El mensaje completo, con remitente, destinatario y asunto',
  delivery: 'La entrega, con las respuestas de los servidores; nombra al destinatario',
  closed: 'Todo lo demás queda cerrado: la prueba muestra que existe y que no ha cambiado.',
  nothing: 'Elija al menos una cosa que mostrar.',
  types: { 'text/plain': 'Texto', 'text/html': 'HTML' },
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

export const proveWords: Words<typeof english> = { en: english, es: spanish };
