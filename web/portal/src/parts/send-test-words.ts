import type { Translated, Words } from '../../../shared/words/words.ts';

/** Texts of sending a test message. */
const english = {
  title: 'Send a test message',
  from: 'From',
  fromHint: 'An address of a verified domain or an approved sender.',
  to: 'To',
  subject: 'Subject',
  text: 'Text',
  certified: 'Certified: sealed with a time-stamp, so that it can be proved',
  send: 'Send message',
  sent: 'The message was accepted.',
  sampleSubject: 'A test of Acuse',
  sampleText: 'This message was sent from the portal to try it out.',
  needsAddress: 'Enter an email address.',
  templateTitle: (name: string) => `Send a test of “${name}”`,
  templateText: (version: string) =>
    `Version ${version} is sent, as it was saved, with the test data of the editor.`,
  locale: 'Language',
  noLocale: 'Default',
  data: 'Test data',
  openMessage: 'Open the message',
};

const spanish: Translated<typeof english> = {
  title: 'Enviar un mensaje de prueba',
  from: 'De',
  fromHint: 'Una dirección de un dominio verificado o un remitente aprobado.',
  to: 'Para',
  subject: 'Asunto',
  text: 'Texto',
  certified: 'Certificado: con sello de tiempo, para poder probarlo',
  send: 'Enviar mensaje',
  sent: 'El mensaje fue aceptado.',
  sampleSubject: 'Una prueba de Acuse',
  sampleText: 'Este mensaje se envió desde el portal para probarlo.',
  needsAddress: 'Escriba un correo electrónico.',
  templateTitle: (name: string) => `Enviar una prueba de «${name}»`,
  templateText: (version: string) =>
    `Se envía la versión ${version}, como fue guardada, con los datos de prueba del editor.`,
  locale: 'Idioma',
  noLocale: 'Predeterminado',
  data: 'Datos de prueba',
  openMessage: 'Abrir el mensaje',
};

export const sendTestWords: Words<typeof english> = { en: english, es: spanish };
