import type { Translated, Words } from '../../../../shared/words/words.ts';

/** Texts that the list of endpoints and each endpoint share. */
const english = {
  url: 'URL',
  urlHint: 'https, reachable from the internet. It is called with POST for each event.',
  needsUrl: 'Enter the URL of your endpoint.',
  description: 'Description',
  descriptionHint: 'For you and your colleagues: “ERP, production”.',
  events: 'Events',
  allEvents: 'All events, also those added later',
  all: 'All events',
  needsEvent: 'Choose at least one event.',
  eventTexts: {
    'email.queued': 'A message was accepted',
    'email.sent': 'The receiving server took the message',
    'email.deferred': 'An attempt failed for now',
    'email.bounced': 'The message was refused for good',
    'email.complained': 'The recipient reported it as spam',
    'email.sealed': 'The message was sealed',
    'acknowledgement.given': 'The recipient acknowledged receipt',
    'acknowledgement.refused': 'The recipient refused to acknowledge receipt',
    'acknowledgement.expired': 'The recipient did not answer in time',
  },
  secretTitle: 'The signing secret',
  secretText:
    'Copy it now: it is shown only this once. Your program checks with it that a request comes from here.',
  secret: 'Signing secret',
  secretGuide: 'How to check the signature',
  done: 'I have copied it',
};

const spanish: Translated<typeof english> = {
  url: 'URL',
  urlHint: 'https, accesible desde internet. Se llama con POST por cada evento.',
  needsUrl: 'Escriba la URL de su programa.',
  description: 'Descripción',
  descriptionHint: 'Para usted y su equipo: «ERP, producción».',
  events: 'Eventos',
  allEvents: 'Todos los eventos, también los que se agreguen después',
  all: 'Todos los eventos',
  needsEvent: 'Elija al menos un evento.',
  eventTexts: {
    'email.queued': 'Se aceptó un mensaje',
    'email.sent': 'El servidor receptor tomó el mensaje',
    'email.deferred': 'Un intento falló por ahora',
    'email.bounced': 'El mensaje se rechazó definitivamente',
    'email.complained': 'El destinatario lo marcó como spam',
    'email.sealed': 'El mensaje quedó sellado',
    'acknowledgement.given': 'El destinatario dio acuse de recibo',
    'acknowledgement.refused': 'El destinatario negó el acuse de recibo',
    'acknowledgement.expired': 'El destinatario no respondió en el plazo',
  },
  secretTitle: 'El secreto de firma',
  secretText:
    'Cópielo ahora: se muestra solo esta vez. Con él, su programa comprueba que una solicitud viene de aquí.',
  secret: 'Secreto de firma',
  secretGuide: 'Cómo comprobar la firma',
  done: 'Ya lo copié',
};

export const webhookWords: Words<typeof english> = { en: english, es: spanish };
