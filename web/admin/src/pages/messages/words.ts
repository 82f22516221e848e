import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Messages',
  lead: 'Find a message of any account. Each search is in the audit log. Subjects and contents stay closed.',
  filters: 'Filters',
  search: 'Search',
  searchHint: 'ana@example.com, Ana García, an id…',
  searchHelp:
    'Part of a recipient’s name or address, a message’s id or Message-ID, the id that the receiving server gave, an idempotency key, or a hash.',
  status: 'Status',
  anyStatus: 'Any status',
  account: 'Account',
  accountId: 'Id of an account',
  to: 'To',
  seal: 'Seal',
  time: 'Accepted',
  open: (recipient: string) => `: ${recipient}`,
  export: 'Export CSV',
  askTitle: 'What are you looking for?',
  ask: 'Type an address, a name or an id above. All accounts are searched.',
  nothing: 'No account has such a message.',
  nothingHere: 'This account has no such message.',
  nothingText: 'Subjects are not searched here: ask the customer for the address or the id of the message.',
  lookingOn: 'Nothing so far; looking through more accounts…',
  moreTitle: 'There may be more in:',
  allAccounts: 'Search all accounts',
  more: 'More accounts',
  all: 'These are all.',
};

const spanish: Translated<typeof english> = {
  title: 'Mensajes',
  lead: 'Encuentre un mensaje de cualquier cuenta. Cada búsqueda queda en la bitácora. Los asuntos y los contenidos siguen cerrados.',
  filters: 'Filtros',
  search: 'Buscar',
  searchHint: 'ana@example.com, Ana García, un id…',
  searchHelp:
    'Parte del nombre o de la dirección del destinatario, el id o el Message-ID del mensaje, el id que le dio el servidor receptor, una clave de idempotencia o un hash.',
  status: 'Estado',
  anyStatus: 'Cualquier estado',
  account: 'Cuenta',
  accountId: 'Id de una cuenta',
  to: 'Para',
  seal: 'Sello',
  time: 'Aceptado',
  open: (recipient: string) => `: ${recipient}`,
  export: 'Exportar CSV',
  askTitle: '¿Qué busca?',
  ask: 'Escriba arriba una dirección, un nombre o un id. Se busca en todas las cuentas.',
  nothing: 'Ninguna cuenta tiene un mensaje así.',
  nothingHere: 'Esta cuenta no tiene un mensaje así.',
  nothingText:
    'Aquí no se busca en los asuntos: pida al cliente la dirección del destinatario o el id del mensaje.',
  lookingOn: 'Nada hasta ahora; se busca en más cuentas…',
  moreTitle: 'Puede haber más en:',
  allAccounts: 'Buscar en todas las cuentas',
  more: 'Más cuentas',
  all: 'Son todos.',
};

export const foundWords: Words<typeof english> = { en: english, es: spanish };
