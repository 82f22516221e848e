import type { BounceReason } from '../api/portal-types.ts';
import type { Words } from '../words/words.ts';

/** Advice on a message that waits; the reasons themselves are those of bounces. */
interface DeferralWords {
  readonly again: string;
  /** Where it differs from what is done about a bounce. */
  readonly advice: Readonly<Partial<Record<BounceReason, string>>>;
  readonly sources: Readonly<Record<'reply' | 'acuse', string>>;
  /** A system error that no server spoke of. */
  readonly ownFault: string;
}

const english: DeferralWords = {
  again: 'It is tried again automatically.',
  advice: {
    mailbox_unknown: 'Check the address: if it is wrong, cancel the message.',
    mailbox_disabled: 'Ask the recipient for another address.',
    domain_unknown: 'Look for a typing error in the domain: if there is one, cancel the message.',
    domain_refuses_mail: 'Look for a typing error in the domain: if there is one, cancel the message.',
    mailbox_refused: 'If it lasts, ask the recipient for another address.',
    mailbox_full: 'Ask the recipient by other means to make room.',
    mailbox_busy: '',
    message_too_large: 'If it lasts, cancel it and send a link in place of the attachment.',
    content_unreadable: 'If it lasts, send it as plain text.',
    greylisted: 'Receivers ask this of new senders, and usually take the next attempt.',
    rate_limited: 'If it lasts, send less to this receiver, and spread it over the day.',
    host_unreachable: 'If it lasts, the recipient’s provider has a fault.',
    dns_failure: 'If it lasts, the owner of the domain must repair its DNS.',
    system_error: '',
    system_full: '',
    mailer_error: 'If it lasts, the recipient’s filter or forwarding is broken.',
    unspecified: 'If it lasts, read the reply.',
  },
  sources: { reply: 'said by the server', acuse: 'no server answered' },
  ownFault: 'this service had a fault',
};

const spanish: DeferralWords = {
  again: 'Se reintenta solo.',
  advice: {
    mailbox_unknown: 'Revise la dirección: si está mal, cancele el mensaje.',
    mailbox_disabled: 'Pida otra dirección al destinatario.',
    domain_unknown: 'Busque un error en el dominio: si lo hay, cancele el mensaje.',
    domain_refuses_mail: 'Busque un error en el dominio: si lo hay, cancele el mensaje.',
    mailbox_refused: 'Si persiste, pida otra dirección al destinatario.',
    mailbox_full: 'Avise al destinatario por otro medio para que libere espacio.',
    mailbox_busy: '',
    message_too_large: 'Si persiste, cancélelo y envíe un enlace en lugar del archivo adjunto.',
    content_unreadable: 'Si persiste, envíelo como texto simple.',
    greylisted: 'Los receptores lo piden a los remitentes nuevos y suelen aceptar el siguiente intento.',
    rate_limited: 'Si persiste, envíe menos a este receptor y repártalo durante el día.',
    host_unreachable: 'Si persiste, el proveedor del destinatario tiene una falla.',
    dns_failure: 'Si persiste, el dueño del dominio debe reparar su DNS.',
    system_error: '',
    system_full: '',
    mailer_error: 'Si persiste, el filtro o el reenvío del destinatario está descompuesto.',
    unspecified: 'Si persiste, lea la respuesta.',
  },
  sources: { reply: 'lo dijo el servidor', acuse: 'ningún servidor respondió' },
  ownFault: 'este servicio tuvo una falla',
};

export const deferralWords: Words<DeferralWords> = { en: english, es: spanish };
