/**
 * Kinds of bounces: `hard` the address, `policy` the sender or the message, `soft` the rest, `expired` time
 * ran out, `suppressed` never tried.
 */
export type BounceType = 'hard' | 'soft' | 'policy' | 'expired' | 'suppressed';

/** Why a message was refused, in one vocabulary for every source. */
export type Reason = keyof typeof REASONS;

/**
 * The kind of bounce that each reason makes. Only what says that this mailbox or this domain will never take
 * mail is hard; nothing about the sender, the message or the moment is, so that a blocklist entry costs no
 * good address.
 */
export const REASONS = {
  /** No such mailbox, as the server that must know said. */
  mailbox_unknown: 'hard',
  /** The mailbox exists no longer or takes no mail: closed, suspended, expired. */
  mailbox_disabled: 'hard',
  mailbox_moved: 'hard',
  address_syntax: 'hard',
  domain_unknown: 'hard',
  /** A null MX, 521 or 556: the host never takes mail. RFC 7505 §3, RFC 7504 §3, §4 */
  domain_refuses_mail: 'hard',

  /** The recipient was refused without a word that proves the address wrong. */
  mailbox_refused: 'soft',
  mailbox_full: 'soft',
  mailbox_busy: 'soft',
  message_too_large: 'soft',
  content_unreadable: 'soft',
  greylisted: 'soft',
  rate_limited: 'soft',
  host_unreachable: 'soft',
  dns_failure: 'soft',
  routing_loop: 'soft',
  tls_failure: 'soft',
  system_error: 'soft',
  system_full: 'soft',
  mailer_error: 'soft',
  protocol_error: 'soft',
  unspecified: 'soft',

  spam: 'policy',
  virus: 'policy',
  blocklisted: 'policy',
  reputation: 'policy',
  authentication: 'policy',
  reverse_dns: 'policy',
  relay_denied: 'policy',
  sender_refused: 'policy',
  not_compliant: 'policy',
  content_policy: 'policy',
  tls_required: 'policy',
  policy: 'policy',

  expired: 'expired',
} as const satisfies Record<string, BounceType>;

/** Why a message bounced: refused, given up, or never tried. */
export type BounceReason = Reason | 'suppressed';

export const BOUNCE_REASONS: readonly BounceReason[] = [...(Object.keys(REASONS) as Reason[]), 'suppressed'];

/** The kind of bounce a reason makes. */
export function bounceTypeOf(reason: Reason): BounceType {
  return REASONS[reason];
}
