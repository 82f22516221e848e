import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Templates',
  lead: 'The text of messages, with {{variables}} for what changes in each of them.',
  create: 'Create template',
  name: 'Name',
  subject: 'Subject',
  languages: 'Languages',
  version: 'Version',
  updated: 'Changed',
  noSubject: '(no subject)',
  own: 'default',
  emptyTitle: 'No templates yet',
  empty: 'With a template, a program sends data instead of whole texts, and people change the wording here.',
};

const spanish: Translated<typeof english> = {
  title: 'Plantillas',
  lead: 'El texto de los mensajes, con {{variables}} para lo que cambia en cada uno.',
  create: 'Crear plantilla',
  name: 'Nombre',
  subject: 'Asunto',
  languages: 'Idiomas',
  version: 'Versión',
  updated: 'Cambiada',
  noSubject: '(sin asunto)',
  own: 'predeterminado',
  emptyTitle: 'Aún no hay plantillas',
  empty:
    'Con una plantilla, un programa envía datos en lugar de textos completos, y las personas cambian la redacción aquí.',
};

export const templatesWords: Words<typeof english> = { en: english, es: spanish };
