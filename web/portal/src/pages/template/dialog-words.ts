import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Texts of what the page asks. */
const english = {
  discardTitle: 'Discard your changes?',
  discardText: (version: string) => `The editor shows version ${version} again.`,
  removeTitle: (name: string) => `Delete “${name}”?`,
  removeText:
    'Sends that name it are refused from then on. Messages that were sent with it stay as they are.',
  removed: 'The template was deleted.',
  leaveTitle: 'Leave without saving?',
  leaveText: 'Your changes are lost when you leave this page.',
  leave: 'Leave without saving',
  stay: 'Stay here',
  discard: 'Discard changes',
  remove: 'Delete template',
  newer: (version: string) =>
    `Version ${version} was saved meanwhile, by somebody else or in another window. What you save becomes the version after it.`,
  takeNewer: 'Show that version, discard mine',
};

const spanish: Translated<typeof english> = {
  discardTitle: '¿Descartar sus cambios?',
  discardText: (version: string) => `El editor volverá a mostrar la versión ${version}.`,
  removeTitle: (name: string) => `¿Eliminar «${name}»?`,
  removeText:
    'Los envíos que la nombren se rechazarán a partir de entonces. Los mensajes enviados con ella quedan como están.',
  removed: 'La plantilla fue eliminada.',
  leaveTitle: '¿Salir sin guardar?',
  leaveText: 'Sus cambios se pierden al salir de esta página.',
  leave: 'Salir sin guardar',
  stay: 'Quedarse aquí',
  discard: 'Descartar cambios',
  remove: 'Eliminar plantilla',
  newer: (version: string) =>
    `Mientras tanto, otra persona u otra ventana guardó la versión ${version}. Lo que usted guarde será la siguiente.`,
  takeNewer: 'Mostrar esa versión y descartar la mía',
};

export const dialogWords: Words<typeof english> = { en: english, es: spanish };
