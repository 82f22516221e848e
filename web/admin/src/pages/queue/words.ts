import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Queue',
  by: 'Group by',
  keys: { destination: 'Destination', tenant: 'Account', age: 'Age' },
  find: 'Destination',
  findHint: 'example.com',
  filters: 'Filters',
  due: 'Due',
  held: 'In hand',
  waiting: 'Waiting',
  oldest: 'Oldest',
  next: 'Next attempt',
  actions: 'Actions',
  total: (count: string) => (count === '1' ? '1 message waits' : `${count} messages wait`),
  more: 'More may be waiting: only those due longest and those due next were counted.',
  emptyTitle: 'No messages waiting',
  empty: 'Everything that was accepted has been sent, has bounced or was cancelled.',
  paused: 'Paused',
  pausedBy: (who: string, reason: string) => `by ${who}: ${reason}`,
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry…',
  cancel: 'Cancel…',
  reason: 'Why',
  reasonHint: 'Other operators read it: a ticket, a cause.',
  pauseTitle: (name: string) => `Pause mail for ${name}?`,
  pauseLead:
    'Messages are held back until somebody resumes it, and expire 48 hours after they were accepted, paused or not.',
  pauseAction: 'Pause',
  resumed: (name: string, count: string) =>
    count === '1' ? `${name} resumed: 1 message is due` : `${name} resumed: ${count} messages are due`,
  pausedNow: (name: string) => `${name} is paused`,
  retryTitle: (name: string) => `Retry what waits for ${name}?`,
  retryLead: (count: string) =>
    count === '1'
      ? '1 deferred message becomes due at once.'
      : `${count} deferred messages become due at once.`,
  retryNone: 'No deferred message waits for its next attempt here.',
  retryAction: (count: string) => (count === '1' ? 'Retry 1 message' : `Retry ${count} messages`),
  retried: (count: string) => (count === '1' ? '1 message is due' : `${count} messages are due`),
  cancelTitle: (name: string) => `Cancel what waits for ${name}?`,
  cancelLead: (count: string) =>
    `${count === '1' ? '1 message is' : `${count} messages are`} never sent. This cannot be undone.`,
  cancelNone: 'No message here can be cancelled: all are being handed over.',
  cancelConfirm: 'Number of messages',
  cancelConfirmHint: (count: string) => `Type ${count} to confirm.`,
  cancelMismatch: 'This is not the number of messages.',
  cancelAction: (count: string) => (count === '1' ? 'Cancel 1 message' : `Cancel ${count} messages`),
  cancelled: (count: string) => (count === '1' ? '1 message cancelled' : `${count} messages cancelled`),
};

const spanish: Translated<typeof english> = {
  title: 'Cola',
  by: 'Agrupar por',
  keys: { destination: 'Destino', tenant: 'Cuenta', age: 'Antigüedad' },
  find: 'Destino',
  findHint: 'example.com',
  filters: 'Filtros',
  due: 'Por enviar',
  held: 'En curso',
  waiting: 'En espera',
  oldest: 'Más antiguo',
  next: 'Próximo intento',
  actions: 'Acciones',
  total: (count: string) => (count === '1' ? '1 mensaje en espera' : `${count} mensajes en espera`),
  more: 'Puede haber más en espera: se cuentan los que llevan más tiempo vencidos y los que vencen después.',
  emptyTitle: 'No hay mensajes en espera',
  empty: 'Todo lo aceptado ya se envió, rebotó o se canceló.',
  paused: 'En pausa',
  pausedBy: (who: string, reason: string) => `por ${who}: ${reason}`,
  pause: 'Pausar',
  resume: 'Reanudar',
  retry: 'Reintentar…',
  cancel: 'Cancelar…',
  reason: 'Motivo',
  reasonHint: 'Lo leen los demás operadores: un folio, una causa.',
  pauseTitle: (name: string) => `¿Pausar el correo de ${name}?`,
  pauseLead:
    'Los mensajes se retienen hasta que alguien lo reanude y vencen 48 horas después de aceptados, en pausa o no.',
  pauseAction: 'Pausar',
  resumed: (name: string, count: string) =>
    `Se reanudó ${name}: ${count === '1' ? '1 mensaje' : `${count} mensajes`} por enviar`,
  pausedNow: (name: string) => `${name} está en pausa`,
  retryTitle: (name: string) => `¿Reintentar lo que espera de ${name}?`,
  retryLead: (count: string) =>
    count === '1'
      ? '1 mensaje diferido se envía de inmediato.'
      : `${count} mensajes diferidos se envían de inmediato.`,
  retryNone: 'Aquí ningún mensaje diferido espera su próximo intento.',
  retryAction: (count: string) => (count === '1' ? 'Reintentar 1 mensaje' : `Reintentar ${count} mensajes`),
  retried: (count: string) => (count === '1' ? '1 mensaje por enviar' : `${count} mensajes por enviar`),
  cancelTitle: (name: string) => `¿Cancelar lo que espera de ${name}?`,
  cancelLead: (count: string) =>
    `${count === '1' ? '1 mensaje no se enviará' : `${count} mensajes no se enviarán`} nunca. No se puede deshacer.`,
  cancelNone: 'Aquí no se puede cancelar ningún mensaje: todos se están entregando.',
  cancelConfirm: 'Número de mensajes',
  cancelConfirmHint: (count: string) => `Escriba ${count} para confirmar.`,
  cancelMismatch: 'No es el número de mensajes.',
  cancelAction: (count: string) => (count === '1' ? 'Cancelar 1 mensaje' : `Cancelar ${count} mensajes`),
  cancelled: (count: string) => (count === '1' ? '1 mensaje cancelado' : `${count} mensajes cancelados`),
};

export const queueWords: Words<typeof english> = { en: english, es: spanish };
