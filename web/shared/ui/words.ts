import type { Translated, Words } from '../words/words.ts';

/** Texts of the components that every screen uses. */
const english = {
  loading: 'Loading…',
  retry: 'Try again',
  clearFilters: 'Clear filters',
  nothingMatches: 'Nothing matches these filters.',
  more: 'Older',
  close: 'Close',
  cancel: 'Cancel',
  goBack: 'Go back',
  copy: 'Copy',
  copied: 'Copied',
  copyNamed: (what: string) => `Copy ${what}`,
  utc: (time: string) => `${time}, copy`,
  staleSince: (time: string) => `As of ${time}. Newer data could not be loaded.`,
  code: 'The same as code',
  codeHint: 'What this page just asked for, as calls of the API. Put a key into ACUSE_API_KEY.',
  codeForm: 'Language',
  codeNone: 'This page has not called the API yet.',
  reload: 'Load again',
  unloadable: 'This page could not be loaded',
  unloadableText:
    'The connection was interrupted, or a new version of Acuse was installed. Load the page again.',
  missingTitle: 'No such page',
  missingText: 'There is nothing at this address. It may have been mistyped.',
  home: 'Go to the start page',
  tabs: 'Sections of this page',
  unavailableBecause: (reason: string) => `Not available: ${reason}`,
};

const spanish: Translated<typeof english> = {
  loading: 'Cargando…',
  retry: 'Intentar de nuevo',
  clearFilters: 'Quitar filtros',
  nothingMatches: 'Nada coincide con estos filtros.',
  more: 'Anteriores',
  close: 'Cerrar',
  cancel: 'Cancelar',
  goBack: 'Volver',
  copy: 'Copiar',
  copied: 'Copiado',
  copyNamed: (what: string) => `Copiar ${what}`,
  utc: (time: string) => `${time}, copiar`,
  staleSince: (time: string) => `Datos de las ${time}. No se pudieron cargar más recientes.`,
  code: 'Lo mismo en código',
  codeHint: 'Lo que esta página acaba de pedir, como llamadas a la API. Ponga una clave en ACUSE_API_KEY.',
  codeForm: 'Lenguaje',
  codeNone: 'Esta página aún no ha llamado a la API.',
  reload: 'Volver a cargar',
  unloadable: 'No se pudo cargar esta página',
  unloadableText:
    'Se interrumpió la conexión o se instaló una nueva versión de Acuse. Vuelva a cargar la página.',
  missingTitle: 'Página inexistente',
  missingText: 'No hay nada en esta dirección. Quizá se escribió mal.',
  home: 'Ir al inicio',
  tabs: 'Secciones de esta página',
  unavailableBecause: (reason: string) => `No disponible: ${reason}`,
};

export const uiWords: Words<typeof english> = { en: english, es: spanish };
