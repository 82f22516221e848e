import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Messages',
  sendTest: 'Send a test',
  filters: 'Filters',
  search: 'Search',
  searchHint: 'Ana García, example.com, A-1042…',
  searchHelp:
    'Parts of names, addresses and subjects, or any id. to: from: subject: tag: status: reason: name a field.',
  lookingBack: (time: string) => `Nothing since ${time}; looking further back…`,
  status: 'Status',
  anyStatus: 'Any status',
  seal: 'Seal',
  seals: {
    any: 'Any seal',
    sealed: 'Sealed',
    promised: 'Not sealed yet',
    certified: 'Certified',
    plain: 'Plain',
  },
  to: 'To',
  subject: 'Subject',
  time: 'Accepted',
  noSubject: '(no subject)',
  openMessage: (subject: string) => `: ${subject}`,
  newRows: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
  searchedBackTo: (time: string) => `Searched back to ${time}.`,
  all: 'These are all.',
  emptyTitle: 'No messages yet',
  empty: 'Messages that you send appear here, with their outcome.',
};

const spanish: Translated<typeof english> = {
  title: 'Mensajes',
  sendTest: 'Enviar una prueba',
  filters: 'Filtros',
  search: 'Buscar',
  searchHint: 'Ana García, example.com, A-1042…',
  searchHelp:
    'Se buscan partes de los nombres, de las direcciones y de los asuntos, o un id. El campo se indica con to: from: subject: tag: status: reason:',
  lookingBack: (time: string) => `Nada desde el ${time}; se busca más atrás…`,
  status: 'Estado',
  anyStatus: 'Cualquier estado',
  seal: 'Sello',
  seals: {
    any: 'Cualquier sello',
    sealed: 'Sellados',
    promised: 'Aún sin sellar',
    certified: 'Certificados',
    plain: 'Simples',
  },
  to: 'Para',
  subject: 'Asunto',
  time: 'Aceptado',
  noSubject: '(sin asunto)',
  openMessage: (subject: string) => `: ${subject}`,
  newRows: (count: number) => (count === 1 ? '1 mensaje nuevo' : `${count} mensajes nuevos`),
  searchedBackTo: (time: string) => `Se buscó hasta el ${time}.`,
  all: 'Son todos.',
  emptyTitle: 'Aún no hay mensajes',
  empty: 'Los mensajes que envíe aparecen aquí, con su resultado.',
};

export const messagesWords: Words<typeof english> = { en: english, es: spanish };
