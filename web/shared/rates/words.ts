import type { Translated, Words } from '../words/words.ts';

const english = {
  title: 'Rates',
  lead: (startsAt: string) =>
    `Outcomes of this account’s messages. Days are counted in UTC: a day begins at ${startsAt} where you are.`,
  leadUtc: 'Outcomes of this account’s messages. Days are counted in UTC.',
  window: 'Period',
  days: (days: string) => `Last ${days} days`,
  rates: {
    delivery: 'Delivered',
    deferral: 'Deferred at least once',
    bounce: 'Bounced',
    complaint: 'Complaints',
    seal: 'Certified and sealed',
  },
  of: {
    delivery: 'of accepted messages',
    deferral: 'of accepted messages',
    bounce: 'of accepted messages',
    complaint: 'of delivered messages',
    seal: 'of certified messages',
  },
  nothing: 'none yet',
  chart: 'Messages by day',
  chartHint: 'Choose a day with the arrow keys or the pointer.',
  sent: 'Sent',
  deferred: 'Deferred',
  bounced: 'Bounced',
  ingested: 'Accepted',
  complained: 'Complaints',
  sealed: 'Sealed',
  day: 'Day (UTC)',
  toMessages: (day: string) => `Messages of ${day}`,
  toBounced: (count: string) => `${count} bounced`,
  quietDays: (count: number, shown: string) =>
    count === 1 ? '1 day without messages is left out.' : `${shown} days without messages are left out.`,
  claim: 'These are the counters of this installation, not a claim about inbox placement.',
  emptyTitle: 'Nothing was sent in this period',
  empty: 'Rates appear with the first message.',
  toSend: 'Send a message',
};

const spanish: Translated<typeof english> = {
  title: 'Tasas',
  lead: (startsAt: string) =>
    `Resultado de los mensajes de esta cuenta. Los días se cuentan en UTC: para usted, un día empieza a las ${startsAt}.`,
  leadUtc: 'Resultado de los mensajes de esta cuenta. Los días se cuentan en UTC.',
  window: 'Periodo',
  days: (days: string) => `Últimos ${days} días`,
  rates: {
    delivery: 'Entregados',
    deferral: 'Diferidos al menos una vez',
    bounce: 'Rebotados',
    complaint: 'Quejas',
    seal: 'Certificados y sellados',
  },
  of: {
    delivery: 'de los mensajes aceptados',
    deferral: 'de los mensajes aceptados',
    bounce: 'de los mensajes aceptados',
    complaint: 'de los mensajes entregados',
    seal: 'de los mensajes certificados',
  },
  nothing: 'ninguno aún',
  chart: 'Mensajes por día',
  chartHint: 'Elija un día con las flechas del teclado o con el puntero.',
  sent: 'Enviados',
  deferred: 'Diferidos',
  bounced: 'Rebotados',
  ingested: 'Aceptados',
  complained: 'Quejas',
  sealed: 'Sellados',
  day: 'Día (UTC)',
  toMessages: (day: string) => `Mensajes del ${day}`,
  toBounced: (count: string) => (count === '1' ? '1 rebotado' : `${count} rebotados`),
  quietDays: (count: number, shown: string) =>
    count === 1 ? 'Se omite 1 día sin mensajes.' : `Se omiten ${shown} días sin mensajes.`,
  claim:
    'Son los contadores de esta instalación, no una afirmación sobre la llegada a la bandeja de entrada.',
  emptyTitle: 'No se envió nada en este periodo',
  empty: 'Las tasas aparecen con el primer mensaje.',
  toSend: 'Enviar un mensaje',
};

export const ratesWords: Words<typeof english> = { en: english, es: spanish };
