/**
 * The kinds of outcome: content, sources and names. A row is all that evidence knows of a kind;
 * docs/evidence-format.md describes it.
 */
import type { DeliverySource } from './delivery-facts.ts';

/**
 * `cancelled`: called back by the sender or the operator before any server took it. Nothing failed.
 * `acknowledged`, `refused`: the recipient's own act. `displayed`: the statement of a mail program (RFC 8098
 * §3.2.6.2). `unanswered`: neither came in time.
 */
export type DeliveryKind =
  | 'sent'
  | 'bounced'
  | 'cancelled'
  | 'complained'
  | 'acknowledged'
  | 'refused'
  | 'displayed'
  | 'unanswered';

/** The report or mail that an outcome is committed with, by its Action field (RFC 3464 §2.3.3) or ours. */
export type ReportAction = 'relayed' | 'failed' | 'complained' | 'acknowledged' | 'receipt';

/** `title`, and the names for sources that make it something else. */
export type KindWords = { readonly title: string } & { readonly [Source in DeliverySource]?: string };

export interface KindRules {
  /**
   * ETSI EN 319 522-3, Table 2: beyond us is plain SMTP, no registered delivery service, so never
   * ContentHandover. Null: no event of the table says it.
   */
  readonly etsi: string | null;
  readonly sources: readonly DeliverySource[];
  readonly report: ReportAction | null;
  readonly words: { readonly en: KindWords; readonly es: KindWords };
}

/** A mail's claim is an event of receipt. */
const RECEIVED = 'http://uri.etsi.org/19522/Event/ReceivedFromNonERDS';

export const KINDS: Readonly<Record<DeliveryKind, KindRules>> = {
  sent: {
    etsi: 'http://uri.etsi.org/19522/Event/RelayToNonERDS',
    // Only a session can show it.
    sources: ['session'],
    report: 'relayed',
    words: {
      en: { title: 'Handed to the receiving server' },
      es: { title: 'Entregado al servidor receptor' },
    },
  },
  bounced: {
    etsi: 'http://uri.etsi.org/19522/Event/RelayToNonERDSFailure',
    sources: ['session', 'operator', 'reported_by_mail'],
    report: 'failed',
    words: {
      en: {
        title: 'Refused',
        operator: 'Not delivered: no server answered',
        reported_by_mail: 'Reported as not delivered',
      },
      es: {
        title: 'Rechazado',
        operator: 'No entregado: ningún servidor respondió',
        reported_by_mail: 'Reportado como no entregado',
      },
    },
  },
  cancelled: {
    etsi: null,
    // No server answers a cancellation.
    sources: ['operator'],
    report: null,
    words: {
      en: { title: 'Cancelled before it was sent' },
      es: { title: 'Cancelado antes de enviarse' },
    },
  },
  complained: {
    etsi: RECEIVED,
    sources: ['reported_by_mail'],
    report: 'complained',
    words: {
      en: { title: 'Reported as unwanted' },
      es: { title: 'Reportado como no deseado' },
    },
  },
  acknowledged: {
    // ConsignmentAcceptance is consent before the handover, within a registered delivery service.
    etsi: null,
    sources: ['recipient_page', 'reported_by_mail'],
    report: 'acknowledged',
    words: {
      en: {
        title: 'Receipt acknowledged',
        recipient_page: 'Receipt acknowledged on the page',
        reported_by_mail: 'Receipt acknowledged by a signed mail',
      },
      es: {
        title: 'Acuse de recibo',
        recipient_page: 'Acuse de recibo en la página',
        reported_by_mail: 'Acuse de recibo por correo firmado',
      },
    },
  },
  refused: {
    etsi: null,
    sources: ['recipient_page'],
    report: null,
    words: {
      en: { title: 'Acknowledgement refused' },
      es: { title: 'Acuse de recibo negado' },
    },
  },
  displayed: {
    etsi: RECEIVED,
    sources: ['reported_by_mail'],
    report: 'receipt',
    words: {
      en: { title: 'Displayed, says a mail program' },
      es: { title: 'Mostrado, según un programa de correo' },
    },
  },
  unanswered: {
    etsi: null,
    // Time ran out: nobody answers that.
    sources: ['operator'],
    report: null,
    words: {
      en: { title: 'Not acknowledged in time' },
      es: { title: 'Sin acuse de recibo en el plazo' },
    },
  },
};

export const DELIVERY_KINDS = Object.keys(KINDS) as readonly DeliveryKind[];

/**
 * When an outcome is committed with a report. An acknowledgement by mail always is: the mail itself is the
 * proof.
 */
export function reportRule(kind: DeliveryKind, source: DeliverySource): 'always' | 'never' | 'maybe' {
  if (KINDS[kind].report === null || source === 'recipient_page') return 'never';
  return kind === 'acknowledged' ? 'always' : 'maybe';
}

/** The name of an outcome from this source. */
export function nameOf(words: KindWords, source: DeliverySource): string {
  return words[source] ?? words.title;
}

/** The event of ETSI's table that an outcome is, if any. */
export function eventOf(kind: DeliveryKind, source: DeliverySource): string | null {
  return source === 'reported_by_mail' ? RECEIVED : KINDS[kind].etsi;
}
