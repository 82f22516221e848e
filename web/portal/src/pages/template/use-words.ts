import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Texts of how programs send with a template. */
const english = {
  useLead: 'Name the template in a send, with the data of that message. The example has your test data.',
  useSend: 'Send with this template',
  useRender: 'Render it without sending',
  useCommand: 'As a command',
  messages: 'Messages sent with it',
  useLanguage: 'Language of the example',
};

const spanish: Translated<typeof english> = {
  useLead:
    'Nombre la plantilla en un envío, con los datos de ese mensaje. El ejemplo lleva sus datos de prueba.',
  useSend: 'Enviar con esta plantilla',
  useRender: 'Generarla sin enviar',
  useCommand: 'Como comando',
  messages: 'Mensajes enviados con ella',
  useLanguage: 'Idioma del ejemplo',
};

export const useTemplateWords: Words<typeof english> = { en: english, es: spanish };
