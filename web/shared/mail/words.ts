import type { Translated, Words } from '../words/words.ts';

const english = {
  statuses: {
    scheduled: 'Scheduled',
    queued: 'Queued',
    sent: 'Sent',
    deferred: 'Deferred',
    bounced: 'Bounced',
    cancelled: 'Cancelled',
    complained: 'Complained',
  },
  bounceTypes: {
    hard: 'hard: the address does not work',
    soft: 'soft: it may work later',
    policy: 'policy: the receiver does not want it',
    expired: 'expired: it was tried for too long',
    suppressed: 'suppressed: the address is on the suppression list',
  },
  seals: { plain: 'Plain', promised: 'Promised', sealed: 'Sealed' },
  sealedAfter: (duration: string) => `Sealed after ${duration}`,
  outcomes: {
    complained: 'Delivered, then reported as spam',
    returned: 'Accepted, then returned',
    expired: 'Tried for too long; last reply',
    suppressed: 'Not sent: the address is on the suppression list',
    lastReply: 'Last reply',
    requested: 'Acknowledgement not given yet',
    acknowledged: 'Acknowledged by the recipient',
    refused: 'The recipient refused to acknowledge it',
    unanswered: 'Not acknowledged in time',
  },
  noReply: 'No reply',
  client: 'Client',
  server: 'Server',
  decided: 'this answer decided',
  play: 'Play at its own speed',
  stop: 'Stop',
  transcript: 'Conversation',
  guessedCharset:
    'This text does not say in which charset it is written, and it is not UTF-8: it is shown as Windows-1252.',
  cleartext: 'without TLS',
  tlsPolicies: {
    opportunistic: 'opportunistic',
    'mta-sts': 'MTA-STS',
    dane: 'DANE',
    configuration: 'set by the operator',
  },
  certificateTrusted: 'certificate accepted',
  certificateUntrusted: 'certificate not checked',
  reused: (count: number) =>
    count === 1
      ? 'on a connection that carried 1 message before'
      : `on a connection that carried ${count} messages before`,
};

const spanish: Translated<typeof english> = {
  statuses: {
    scheduled: 'Programado',
    queued: 'En cola',
    sent: 'Enviado',
    deferred: 'Diferido',
    bounced: 'Rebotado',
    cancelled: 'Cancelado',
    complained: 'Reportado',
  },
  bounceTypes: {
    hard: 'definitivo: la dirección no funciona',
    soft: 'temporal: puede funcionar más tarde',
    policy: 'política: el receptor no lo quiere',
    expired: 'vencido: se intentó demasiado tiempo',
    suppressed: 'suprimido: la dirección está en la lista de supresión',
  },
  seals: { plain: 'Simple', promised: 'Prometido', sealed: 'Sellado' },
  sealedAfter: (duration: string) => `Sellado tras ${duration}`,
  outcomes: {
    complained: 'Entregado y después reportado como correo no deseado',
    returned: 'Aceptado y después devuelto',
    expired: 'Se intentó demasiado tiempo; última respuesta',
    suppressed: 'No se envió: la dirección está en la lista de supresión',
    lastReply: 'Última respuesta',
    requested: 'Aún sin acuse de recibo',
    acknowledged: 'El destinatario dio acuse de recibo',
    refused: 'El destinatario negó el acuse de recibo',
    unanswered: 'Sin acuse de recibo en el plazo',
  },
  noReply: 'Sin respuesta',
  client: 'Cliente',
  server: 'Servidor',
  decided: 'esta respuesta decidió',
  play: 'Reproducir a su propia velocidad',
  stop: 'Detener',
  transcript: 'Conversación',
  guessedCharset: 'Este texto no indica su juego de caracteres y no es UTF-8: se muestra como Windows-1252.',
  cleartext: 'sin TLS',
  tlsPolicies: {
    opportunistic: 'oportunista',
    'mta-sts': 'MTA-STS',
    dane: 'DANE',
    configuration: 'fijado por el operador',
  },
  certificateTrusted: 'certificado aceptado',
  certificateUntrusted: 'certificado sin verificar',
  reused: (count: number) =>
    count === 1 ? 'en una conexión que ya llevó 1 mensaje' : `en una conexión que ya llevó ${count} mensajes`,
};

export const mailWords: Words<typeof english> = { en: english, es: spanish };
