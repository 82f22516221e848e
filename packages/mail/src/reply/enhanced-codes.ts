import type { Reason } from './reasons.ts';

/**
 * A row of the registry: what the code means to us. A `vague` code decides only if neither the reply code nor
 * the text does.
 */
export interface EnhancedCode {
  readonly name: string;
  readonly reason: Reason;
  readonly vague?: true;
}

/**
 * The IANA registry "SMTP Enhanced Status Codes", subject.detail, with the reason each stands for.
 * Codes that servers give for many things, whatever their definition says, are marked vague.
 * https://www.iana.org/assignments/smtp-enhanced-status-codes
 */
export const ENHANCED_CODES: Readonly<Record<string, EnhancedCode>> = {
  '0.0': { name: 'Other undefined Status', reason: 'unspecified', vague: true },

  '1.0': { name: 'Other address status', reason: 'mailbox_refused', vague: true },
  '1.1': { name: 'Bad destination mailbox address', reason: 'mailbox_unknown' },
  '1.2': { name: 'Bad destination system address', reason: 'domain_unknown' },
  '1.3': { name: 'Bad destination mailbox address syntax', reason: 'address_syntax' },
  '1.4': { name: 'Destination mailbox address ambiguous', reason: 'mailbox_refused', vague: true },
  '1.5': { name: 'Destination address valid', reason: 'unspecified', vague: true },
  '1.6': { name: 'Destination mailbox has moved, No forwarding address', reason: 'mailbox_moved' },
  '1.7': { name: "Bad sender's mailbox address syntax", reason: 'sender_refused' },
  '1.8': { name: "Bad sender's system address", reason: 'sender_refused' },
  '1.9': { name: 'Message relayed to non-compliant mailer', reason: 'unspecified', vague: true },
  '1.10': { name: 'Recipient address has null MX', reason: 'domain_refuses_mail' },

  '2.0': { name: 'Other or undefined mailbox status', reason: 'mailbox_refused', vague: true },
  '2.1': { name: 'Mailbox disabled, not accepting messages', reason: 'mailbox_disabled' },
  '2.2': { name: 'Mailbox full', reason: 'mailbox_full' },
  '2.3': { name: 'Message length exceeds administrative limit', reason: 'message_too_large' },
  '2.4': { name: 'Mailing list expansion problem', reason: 'mailer_error', vague: true },

  '3.0': { name: 'Other or undefined mail system status', reason: 'system_error', vague: true },
  '3.1': { name: 'Mail system full', reason: 'system_full' },
  '3.2': { name: 'System not accepting network messages', reason: 'domain_refuses_mail', vague: true },
  '3.3': { name: 'System not capable of selected features', reason: 'system_error', vague: true },
  '3.4': { name: 'Message too big for system', reason: 'message_too_large' },
  '3.5': { name: 'System incorrectly configured', reason: 'system_error' },
  '3.6': { name: 'Requested priority was changed', reason: 'unspecified', vague: true },

  '4.0': { name: 'Other or undefined network or routing status', reason: 'host_unreachable', vague: true },
  '4.1': { name: 'No answer from host', reason: 'host_unreachable', vague: true },
  '4.2': { name: 'Bad connection', reason: 'host_unreachable', vague: true },
  '4.3': { name: 'Directory server failure', reason: 'system_error', vague: true },
  '4.4': { name: 'Unable to route', reason: 'domain_unknown', vague: true },
  '4.5': { name: 'Mail system congestion', reason: 'rate_limited', vague: true },
  '4.6': { name: 'Routing loop detected', reason: 'routing_loop' },
  '4.7': { name: 'Delivery time expired', reason: 'expired' },

  '5.0': { name: 'Other or undefined protocol status', reason: 'protocol_error', vague: true },
  '5.1': { name: 'Invalid command', reason: 'protocol_error', vague: true },
  '5.2': { name: 'Syntax error', reason: 'protocol_error', vague: true },
  '5.3': { name: 'Too many recipients', reason: 'rate_limited' },
  '5.4': { name: 'Invalid command arguments', reason: 'protocol_error', vague: true },
  '5.5': { name: 'Wrong protocol version', reason: 'protocol_error' },
  '5.6': { name: 'Authentication Exchange line is too long', reason: 'protocol_error' },

  '6.0': { name: 'Other or undefined media error', reason: 'content_unreadable', vague: true },
  '6.1': { name: 'Media not supported', reason: 'content_unreadable' },
  '6.2': { name: 'Conversion required and prohibited', reason: 'content_unreadable' },
  '6.3': { name: 'Conversion required but not supported', reason: 'content_unreadable' },
  '6.4': { name: 'Conversion with loss performed', reason: 'content_unreadable' },
  '6.5': { name: 'Conversion Failed', reason: 'content_unreadable' },
  '6.6': { name: 'Message content not available', reason: 'content_unreadable' },
  '6.7': {
    name: 'Non-ASCII addresses not permitted for that sender/recipient',
    reason: 'content_unreadable',
  },
  '6.8': { name: 'UTF-8 string reply is required', reason: 'content_unreadable' },
  '6.9': { name: 'UTF-8 header message cannot be transferred', reason: 'content_unreadable' },
  '6.10': { name: 'UTF-8 header message cannot be transferred', reason: 'content_unreadable' },

  '7.0': { name: 'Other or undefined security status', reason: 'policy', vague: true },
  '7.1': { name: 'Delivery not authorized, message refused', reason: 'policy', vague: true },
  '7.2': { name: 'Mailing list expansion prohibited', reason: 'sender_refused' },
  '7.3': { name: 'Security conversion required but not possible', reason: 'policy', vague: true },
  '7.4': { name: 'Security features not supported', reason: 'policy', vague: true },
  '7.5': { name: 'Cryptographic failure', reason: 'tls_failure', vague: true },
  '7.6': { name: 'Cryptographic algorithm not supported', reason: 'tls_failure' },
  '7.7': { name: 'Message integrity failure', reason: 'authentication', vague: true },
  '7.8': { name: 'Authentication credentials invalid', reason: 'relay_denied' },
  '7.9': { name: 'Authentication mechanism is too weak', reason: 'policy', vague: true },
  '7.10': { name: 'Encryption Needed', reason: 'tls_required' },
  '7.11': {
    name: 'Encryption required for requested authentication mechanism',
    reason: 'tls_required',
  },
  '7.12': { name: 'A password transition is needed', reason: 'relay_denied' },
  '7.13': { name: 'User Account Disabled', reason: 'mailbox_disabled', vague: true },
  '7.14': { name: 'Trust relationship required', reason: 'policy' },
  '7.15': { name: 'Priority Level is too low', reason: 'policy' },
  '7.16': { name: 'Message is too big for the specified priority', reason: 'message_too_large' },
  '7.17': { name: 'Mailbox owner has changed', reason: 'mailbox_moved' },
  '7.18': { name: 'Domain owner has changed', reason: 'mailbox_moved' },
  '7.19': { name: 'RRVS test cannot be completed', reason: 'system_error' },
  '7.20': { name: 'No passing DKIM signature found', reason: 'authentication' },
  '7.21': { name: 'No acceptable DKIM signature found', reason: 'authentication' },
  '7.22': { name: 'No valid author-matched DKIM signature found', reason: 'authentication' },
  '7.23': { name: 'SPF validation failed', reason: 'authentication' },
  '7.24': { name: 'SPF validation error', reason: 'authentication' },
  '7.25': { name: 'Reverse DNS validation failed', reason: 'reverse_dns' },
  '7.26': { name: 'Multiple authentication checks failed', reason: 'authentication' },
  // Sendmail says it of the recipient's host.
  '7.27': { name: 'Sender address has null MX', reason: 'sender_refused', vague: true },
  '7.28': { name: 'Mail flood detected', reason: 'rate_limited' },
  '7.29': { name: 'ARC validation failure', reason: 'authentication' },
  '7.30': { name: 'REQUIRETLS support required', reason: 'tls_required' },
};

/** The meaning of a subject whose detail is not registered. RFC 3463 §3 */
const SUBJECTS: Readonly<Record<string, EnhancedCode>> = {
  '1': ENHANCED_CODES['1.0']!,
  '2': ENHANCED_CODES['2.0']!,
  '3': ENHANCED_CODES['3.0']!,
  '4': ENHANCED_CODES['4.0']!,
  '5': ENHANCED_CODES['5.0']!,
  '6': ENHANCED_CODES['6.0']!,
  '7': ENHANCED_CODES['7.0']!,
};

/**
 * The codes whose refusal suppresses the recipient at once: they are about the address alone and about
 * nothing that passes. Permanent only: a 4.1.1 never does.
 */
export const SUPPRESSING_CODES: ReadonlySet<string> = new Set([
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.6',
  '5.1.10',
  '5.2.1',
]);

/** A mailbox that is closed for the moment is not a closed mailbox. */
const DISABLED_FOR_NOW: EnhancedCode = {
  name: 'Mailbox disabled, not accepting messages',
  reason: 'mailbox_busy',
  vague: true,
};

/** Looks `class.subject.detail` up; unknown subjects are as undefined. */
export function lookUpEnhanced(status: string): EnhancedCode {
  if (status === '4.2.1') return DISABLED_FOR_NOW;
  const [, subject = '', detail = ''] = status.split('.');
  return ENHANCED_CODES[`${subject}.${detail}`] ?? SUBJECTS[subject] ?? ENHANCED_CODES['0.0']!;
}
