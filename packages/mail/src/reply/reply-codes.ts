import type { Reason } from './reasons.ts';

/**
 * The meaning of a reply code without an enhanced status; `vague` ones are overruled by the text. RFC 5321
 * §4.2.3, RFC 7504 §3, §4, RFC 4954 §6
 */
export const REPLY_CODES: Readonly<Record<number, { readonly reason: Reason; readonly vague?: true }>> = {
  421: { reason: 'system_error', vague: true },
  422: { reason: 'mailbox_full', vague: true },
  431: { reason: 'system_full', vague: true },
  432: { reason: 'system_error', vague: true },
  441: { reason: 'host_unreachable', vague: true },
  442: { reason: 'host_unreachable', vague: true },
  446: { reason: 'routing_loop', vague: true },
  447: { reason: 'expired', vague: true },
  450: { reason: 'mailbox_busy', vague: true },
  451: { reason: 'system_error', vague: true },
  452: { reason: 'system_full', vague: true },
  454: { reason: 'tls_failure', vague: true },
  455: { reason: 'protocol_error', vague: true },
  500: { reason: 'protocol_error', vague: true },
  501: { reason: 'protocol_error', vague: true },
  502: { reason: 'protocol_error', vague: true },
  503: { reason: 'protocol_error', vague: true },
  504: { reason: 'protocol_error', vague: true },
  521: { reason: 'domain_refuses_mail' },
  523: { reason: 'message_too_large', vague: true },
  525: { reason: 'mailbox_disabled', vague: true },
  530: { reason: 'relay_denied', vague: true },
  534: { reason: 'relay_denied', vague: true },
  535: { reason: 'relay_denied', vague: true },
  538: { reason: 'tls_required', vague: true },
  550: { reason: 'mailbox_refused', vague: true },
  541: { reason: 'policy', vague: true },
  551: { reason: 'mailbox_moved', vague: true },
  552: { reason: 'mailbox_full', vague: true },
  553: { reason: 'mailbox_refused', vague: true },
  554: { reason: 'unspecified', vague: true },
  555: { reason: 'protocol_error', vague: true },
  556: { reason: 'domain_refuses_mail' },
  571: { reason: 'policy', vague: true },
};

/** The codes under which a text that names the mailbox counts as a word about the address. */
export const MAILBOX_CODES: ReadonlySet<number> = new Set([550, 551, 553]);

/**
 * Under these a plain statement that the mailbox is not there counts too, in a session of ours: its
 * transaction has one recipient, so that no other can be meant. Yahoo and AOL say so under 552 and 554.
 */
export const OTHER_MAILBOX_CODES: ReadonlySet<number> = new Set([501, 552, 554]);
