import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Overview',
  calm: 'Nothing needs attention',
  needs: (count: number) => (count === 1 ? '1 thing needs attention' : `${count} things need attention`),
  figures: 'Figures',
  oldestUnsent: 'Oldest unsent',
  oldestUnsealed: 'Oldest unsealed',
  none: 'none',
  queue: 'Waiting to be sent',
  queueParts: (due: string, held: string, waiting: string) =>
    `${due} due, ${held} in hand, ${waiting} waiting`,
  accepted: 'Accepted in the last minute',
  webhooks: 'Webhooks waiting',
  processes: 'Processes',
  attention: 'Attention',
  sealing: 'Sealing:',
  what: 'What',
  details: 'Details',
  at: 'Time',
  quiet: 'Delivery, sealing, domains and webhooks work as they should.',
  codes: {
    log_stopped: 'The log was stopped',
    queue_stuck: 'Nobody sends mail',
    sealing_late: 'Sealing is late',
    authority_failing: 'Authority fails',
    authority_ends_soon: 'Certificate ends soon',
    constancias_lapsed: 'Constancias lapsed',
    destination_closed: 'Destination is slow',
    destination_paused: 'Destination paused',
    account_paused: 'Account paused',
    domain_failing: 'Domain fails',
    webhook_failing: 'Webhook fails',
  },
};

const spanish: Translated<typeof english> = {
  title: 'Resumen',
  calm: 'Nada requiere atención',
  needs: (count: number) =>
    count === 1 ? '1 asunto requiere atención' : `${count} asuntos requieren atención`,
  figures: 'Cifras',
  oldestUnsent: 'Más antiguo sin enviar',
  oldestUnsealed: 'Más antiguo sin sellar',
  none: 'ninguno',
  queue: 'En espera de envío',
  queueParts: (due: string, held: string, waiting: string) =>
    `${due} por enviar, ${held} en curso, ${waiting} en espera`,
  accepted: 'Aceptados en el último minuto',
  webhooks: 'Webhooks en espera',
  processes: 'Procesos',
  attention: 'Atención',
  sealing: 'Sellado:',
  what: 'Qué',
  details: 'Detalle',
  at: 'Hora',
  quiet: 'La entrega, el sellado, los dominios y los webhooks funcionan con normalidad.',
  codes: {
    log_stopped: 'El registro se detuvo',
    queue_stuck: 'Nadie envía el correo',
    sealing_late: 'El sellado va atrasado',
    authority_failing: 'Falla una autoridad',
    authority_ends_soon: 'Un certificado vence pronto',
    constancias_lapsed: 'Constancias vencidas',
    destination_closed: 'Destino lento',
    destination_paused: 'Destino en pausa',
    account_paused: 'Cuenta en pausa',
    domain_failing: 'Falla un dominio',
    webhook_failing: 'Falla un webhook',
  },
};

export const overviewWords: Words<typeof english> = { en: english, es: spanish };
