import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Texts of the page around its tabs. */
const english = {
  title: 'Template',
  newTitle: 'New template',
  newLead: 'Write the content once, with {{variables}} for what changes in each message.',
  lead: (version: string, when: string) => `Version ${version}, saved ${when}`,
  tabs: { edit: 'Editor', versions: 'Versions', use: 'Send with it' },
  save: 'Save version',
  create: 'Create template',
  saved: (version: string) => `Version ${version} was saved.`,
  renamed: 'The name was saved.',
  created: 'The template was created.',
  nothingToSave: 'nothing was changed since the last version.',
  discard: 'Discard changes',
  unsaved: 'Unsaved changes',
  remove: 'Delete template',
  sendTest: 'Send a test',
};

const spanish: Translated<typeof english> = {
  title: 'Plantilla',
  newTitle: 'Nueva plantilla',
  newLead: 'Escriba el contenido una vez, con {{variables}} para lo que cambia en cada mensaje.',
  lead: (version: string, when: string) => `Versión ${version}, guardada ${when}`,
  tabs: { edit: 'Editor', versions: 'Versiones', use: 'Enviar con ella' },
  save: 'Guardar versión',
  create: 'Crear plantilla',
  saved: (version: string) => `Se guardó la versión ${version}.`,
  renamed: 'Se guardó el nombre.',
  created: 'La plantilla fue creada.',
  nothingToSave: 'nada ha cambiado desde la última versión.',
  discard: 'Descartar cambios',
  unsaved: 'Cambios sin guardar',
  remove: 'Eliminar plantilla',
  sendTest: 'Enviar una prueba',
};

export const templateWords: Words<typeof english> = { en: english, es: spanish };
