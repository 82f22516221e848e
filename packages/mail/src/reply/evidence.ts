import { type EnhancedCode, lookUpEnhanced } from './enhanced-codes.ts';
import type { Finding } from './finding.ts';
import type { SmtpReply } from './parse.ts';
import { providerFinding } from './provider-codes.ts';
import type { Reason } from './reasons.ts';
import { CLOSED_FOR_NOW_RULES, MAILBOX_FULL_RULES, RECIPIENT_RULES } from './recipient-rules.ts';
import { MAILBOX_CODES, REPLY_CODES } from './reply-codes.ts';
import { SENDER_RULES } from './sender-rules.ts';
import { matchRules, plainText } from './text.ts';

/** The step that was refused, as far as it is known; reports written by others often do not say. */
export type RefusedStep = 'opening' | 'mail' | 'rcpt' | 'data' | 'unknown';

/** All that was said about one refusal: RFC 3463 §2 status, reply code (0 if there was none) and text. */
export interface Evidence {
  readonly status: string | null;
  readonly code: number;
  readonly text: string;
  readonly step: RefusedStep;
}

const ABOUT_THE_RECIPIENT: ReadonlySet<Reason> = new Set([
  'mailbox_unknown',
  'mailbox_disabled',
  'mailbox_moved',
  'mailbox_refused',
  'address_syntax',
]);

/** A status in the text, `(#5.1.1)` or `5.1.1 - `, as qmail, Exchange and others write it. RFC 3463 §2 */
const STATUS_IN_TEXT = /(?:^|[\s(#:<["'])([245]\.\d{1,3}\.\d{1,3})(?=$|[\s)\-,;:>\]"'])/;

/**
 * Weighs status, reply code and text. A definite status decides, unless the text is about the sender: then
 * the text does. A vague status is read with the text, then the reply code, and only then for itself. Under
 * 5.7.x and before RCPT nothing is ever about the address. RFC 3463 §3.8
 */
export function findReason(evidence: Evidence): Finding {
  const plain = plainText(evidence.text);
  const status = evidence.status ?? STATUS_IN_TEXT.exec(evidence.text.slice(0, 2_000))?.[1] ?? null;
  const row = status === null ? null : lookUpEnhanced(status);
  const provider = providerFinding(plain, status, row !== null && row.vague !== true);
  if (provider !== null) return provider;
  const sender = matchRules(SENDER_RULES, plain)?.reason ?? null;
  if (sender !== null && overrules(sender, row)) return { reason: sender, basis: 'text' };
  if (row !== null && status !== null && row.vague !== true) {
    const there = ENDED.has(row.reason) ? matchRules(STILL_THERE_RULES, plain) : null;
    if (there !== null) return { reason: there.reason, basis: 'text', definite: true };
    if (evidence.step === 'opening' && ABOUT_THE_RECIPIENT.has(row.reason))
      return { reason: 'blocklisted', basis: 'step' };
    return { reason: row.reason, basis: 'status', status, definite: true };
  }
  const recipient = matchRules(RECIPIENT_RULES, plain);
  if (recipient === null) return withoutWords(evidence, row);
  if (evidence.step === 'rcpt' && MAILBOX_CODES.has(evidence.code) && UNROUTABLE.test(plain))
    return { reason: 'mailbox_unknown', basis: 'text' };
  const reason = tempered(recipient.reason, status, evidence);
  return recipient.explicit === true ? { reason, basis: 'text', definite: true } : { reason, basis: 'text' };
}

/** Exim's words for an address that leads nowhere: at RCPT, the mailbox of a domain that it answers for. */
const UNROUTABLE = /\bunroute?able address\b/;

/** A mailbox that is full, or closed for now, exists: some servers answer 5.1.1 or 5.2.1 for it. */
const STILL_THERE_RULES = [...MAILBOX_FULL_RULES, ...CLOSED_FOR_NOW_RULES];
const ENDED: ReadonlySet<Reason> = new Set(['mailbox_unknown', 'mailbox_disabled']);

/** A sender rule outweighs any row but one that already blames the sender, more precisely than words do. */
function overrules(sender: Reason, row: EnhancedCode | null): boolean {
  if (row === null || row.vague === true) return true;
  return ABOUT_THE_RECIPIENT.has(row.reason) ? STRONG_SENDER_REASONS.has(sender) : false;
}

/** Words strong enough to say that a 5.1.1 is not about the address. */
const STRONG_SENDER_REASONS: ReadonlySet<Reason> = new Set([
  'authentication',
  'reverse_dns',
  'blocklisted',
  'reputation',
  'rate_limited',
  'mailbox_busy',
  'greylisted',
  'spam',
  'virus',
]);

function tempered(reason: Reason, status: string | null, { step, code }: Evidence): Reason {
  // "System not accepting network messages" with 421: it will again.
  if (reason === 'domain_refuses_mail' && (status ?? String(code)).startsWith('4')) return 'system_error';
  const aboutAddress = ABOUT_THE_RECIPIENT.has(reason);
  if (!aboutAddress && reason !== 'domain_unknown') return reason;
  if (step === 'mail') return 'sender_refused';
  if (step === 'opening') return 'blocklisted';
  if (!aboutAddress) return reason;
  const subject = status?.split('.')[1];
  // "Recipient address rejected: Media error": x.6 is about the content. RFC 3463 §3.7
  if (subject === '6') return 'content_unreadable';
  if (subject === '7' && reason !== 'mailbox_disabled') return 'mailbox_refused';
  return reason;
}

function withoutWords(evidence: Evidence, row: EnhancedCode | null): Finding {
  const byCode = REPLY_CODES[evidence.code];
  if (byCode !== undefined && byCode.vague !== true) return { reason: byCode.reason, basis: 'reply-code' };
  if (evidence.step === 'mail') return { reason: 'sender_refused', basis: 'step' };
  if (evidence.step === 'opening') return { reason: 'blocklisted', basis: 'step' };
  if (row !== null && row.reason !== 'unspecified') return { reason: row.reason, basis: 'status' };
  if (byCode !== undefined) return { reason: byCode.reason, basis: 'reply-code' };
  return { reason: 'unspecified', basis: 'nothing' };
}

/** The evidence that a reply of our own session gives. */
export function evidenceOfReply(reply: SmtpReply, step: RefusedStep): Evidence {
  return { status: reply.enhanced, code: reply.code, text: reply.text, step };
}
