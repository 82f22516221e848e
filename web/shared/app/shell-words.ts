import type { Translated, Words } from '../words/words.ts';

/** Texts around every page. */
const english = {
  skip: 'Skip to the content',
  navigation: 'Main navigation',
  openNavigation: 'Open navigation',
  search: 'Search',
  searchHint: 'Names, addresses, subjects, ids, pages…',
  you: 'You',
  language: 'Language',
  theme: 'Appearance',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  languages: { es: 'Español', en: 'English' },
  help: 'Keyboard shortcuts',
  signOut: 'Sign out',
  endsSoon: 'Your session ends in two minutes.',
  stay: 'Stay signed in',
  noAccountTitle: 'No account yet',
  noAccount: 'You are signed in, but belong to no account. Ask its owner to invite this address.',
  singleKeys: 'Shortcuts of a single key',
  keys: {
    search: 'Search',
    help: 'This help',
    down: 'Next row',
    up: 'Previous row',
    open: 'Open the row',
    close: 'Close what is open',
  },
  goTo: (page: string) => `Go to ${page}`,
  pages: 'Pages',
  noResult: 'Nothing found. Ids and hashes must be complete.',
  searchResults: (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`,
};

const spanish: Translated<typeof english> = {
  skip: 'Ir al contenido',
  navigation: 'Navegación principal',
  openNavigation: 'Abrir la navegación',
  search: 'Buscar',
  searchHint: 'Nombres, direcciones, asuntos, ids, páginas…',
  you: 'Usted',
  language: 'Idioma',
  theme: 'Apariencia',
  themes: { system: 'Como el sistema', light: 'Clara', dark: 'Oscura' },
  languages: { es: 'Español', en: 'English' },
  help: 'Atajos de teclado',
  signOut: 'Cerrar sesión',
  endsSoon: 'Su sesión termina en dos minutos.',
  stay: 'Seguir conectado',
  noAccountTitle: 'Aún sin cuenta',
  noAccount:
    'Inició sesión, pero no pertenece a ninguna cuenta. Pida a su propietario que invite este correo.',
  singleKeys: 'Atajos de una sola tecla',
  keys: {
    search: 'Buscar',
    help: 'Esta ayuda',
    down: 'Fila siguiente',
    up: 'Fila anterior',
    open: 'Abrir la fila',
    close: 'Cerrar lo que está abierto',
  },
  goTo: (page: string) => `Ir a ${page}`,
  pages: 'Páginas',
  noResult: 'No se encontró nada. Los ids y los hashes deben estar completos.',
  searchResults: (count: number) => `${count} ${count === 1 ? 'resultado' : 'resultados'}`,
};

export const shellWords: Words<typeof english> = { en: english, es: spanish };
