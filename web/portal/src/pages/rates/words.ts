import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  period: 'Period (UTC)',
  spans: {
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    times: 'Choose times…',
  },
  from: 'From (UTC)',
  to: 'Until (UTC)',
  timesWrong: 'The end must be later than the start.',
  timesLong: (days: string) => `At most ${days} days: choose a later start.`,
  accepted: (from: string, to: string) =>
    `Messages accepted from ${from} to ${to} (UTC), with their outcome so far.`,
  countedFrom: (time: string) =>
    `There are more messages than are counted at once: only those accepted since ${time} (UTC) are. Choose a shorter period to count all of its messages.`,
  chart: { hour: 'Messages by hour', day: 'Messages by day' },
  chartHint: {
    hour: 'Choose an hour with the arrow keys or the pointer.',
    day: 'Choose a day with the arrow keys or the pointer.',
  },
  step: { hour: 'Hour (UTC)', day: 'Day (UTC)' },
  quietHours: (count: number, shown: string) =>
    count === 1 ? '1 hour without messages is left out.' : `${shown} hours without messages are left out.`,
  toMessages: 'These messages',
  parts: {
    destination: 'By destination',
    sending_domain: 'By sending domain',
    tag: 'By tag',
  },
  partHints: {
    destination: 'Domains that messages went to. Choose a name to see only its messages.',
    sending_domain: 'Domains that messages came from.',
    tag: 'A message counts for each of its tags.',
  },
  names: {
    destination: 'Destination',
    sending_domain: 'Sending domain',
    tag: 'Tag',
  },
  erased: 'erased messages',
  showAll: (count: string) => `Show ${count}`,
  others: (count: number, shown: string) =>
    count === 1 ? '1 more with fewer messages.' : `${shown} more with fewer messages.`,
  accepteds: 'Accepted',
  delivered: 'Delivered',
  deferred: 'Deferred',
  bounced: 'Bounced',
  complained: 'Complaints',
  emptyTitle: 'Nothing was accepted in this period',
  empty: 'Choose another period, or remove a filter.',
};

const spanish: Translated<typeof english> = {
  period: 'Periodo (UTC)',
  spans: {
    '1h': 'Última hora',
    '24h': 'Últimas 24 horas',
    times: 'Elegir horas…',
  },
  from: 'Desde (UTC)',
  to: 'Hasta (UTC)',
  timesWrong: 'El final debe ser posterior al inicio.',
  timesLong: (days: string) => `A lo más ${days} días: elija un inicio posterior.`,
  accepted: (from: string, to: string) =>
    `Mensajes aceptados entre el ${from} y el ${to} (UTC), con su resultado hasta ahora.`,
  countedFrom: (time: string) =>
    `Hay más mensajes de los que se cuentan a la vez: solo se cuentan los aceptados desde el ${time} (UTC). Elija un periodo más corto para contar todos sus mensajes.`,
  chart: { hour: 'Mensajes por hora', day: 'Mensajes por día' },
  chartHint: {
    hour: 'Elija una hora con las flechas del teclado o con el puntero.',
    day: 'Elija un día con las flechas del teclado o con el puntero.',
  },
  step: { hour: 'Hora (UTC)', day: 'Día (UTC)' },
  quietHours: (count: number, shown: string) =>
    count === 1 ? 'Se omite 1 hora sin mensajes.' : `Se omiten ${shown} horas sin mensajes.`,
  toMessages: 'Estos mensajes',
  parts: {
    destination: 'Por destino',
    sending_domain: 'Por dominio de envío',
    tag: 'Por etiqueta',
  },
  partHints: {
    destination: 'Dominios a los que se envió. Elija un nombre para ver solo sus mensajes.',
    sending_domain: 'Dominios desde los que se envió.',
    tag: 'Un mensaje cuenta en cada una de sus etiquetas.',
  },
  names: {
    destination: 'Destino',
    sending_domain: 'Dominio de envío',
    tag: 'Etiqueta',
  },
  erased: 'mensajes borrados',
  showAll: (count: string) => `Ver ${count}`,
  others: (count: number, shown: string) =>
    count === 1 ? 'Hay 1 más con menos mensajes.' : `Hay ${shown} más con menos mensajes.`,
  accepteds: 'Aceptados',
  delivered: 'Entregados',
  deferred: 'Diferidos',
  bounced: 'Rebotados',
  complained: 'Reportados',
  emptyTitle: 'No se aceptó nada en este periodo',
  empty: 'Elija otro periodo o quite un filtro.',
};

export const periodWords: Words<typeof english> = { en: english, es: spanish };
