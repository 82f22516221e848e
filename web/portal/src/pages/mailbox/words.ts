import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Test mailbox',
  lead: 'Mail that the sandbox delivered. No mail leaves this machine.',
  open: 'Open the mailbox',
  to: 'To',
  subject: 'Subject',
  from: 'From',
  received: 'Received',
  noSubject: '(no subject)',
  emptyTitle: 'No mail yet',
  empty: 'Send a message to any address, for example delivered@sandbox.test: it appears here by itself.',
  noneTitle: 'This account has no test mailbox',
  none: 'Only the sandbox account has one: mail of other accounts goes to its recipients.',
};

const spanish: Translated<typeof english> = {
  title: 'Buzón de pruebas',
  lead: 'Correo que entregó el entorno de pruebas. Ningún correo sale de esta máquina.',
  open: 'Abrir el buzón',
  to: 'Para',
  subject: 'Asunto',
  from: 'De',
  received: 'Recibido',
  noSubject: '(sin asunto)',
  emptyTitle: 'Aún no hay correo',
  empty:
    'Envíe un mensaje a cualquier dirección, por ejemplo delivered@sandbox.test: aparecerá aquí por sí solo.',
  noneTitle: 'Esta cuenta no tiene buzón de pruebas',
  none: 'Solo lo tiene la cuenta de pruebas: el correo de las demás llega a sus destinatarios.',
};

export const mailboxWords: Words<typeof english> = { en: english, es: spanish };
