import type { Classification } from '../reply/classify.ts';
import { defaultStatus } from '../reply/classify.ts';
import { SUPPRESSING_CODES } from '../reply/enhanced-codes.ts';
import { type Evidence, findReason } from '../reply/evidence.ts';
import type { Finding } from '../reply/finding.ts';
import { type BounceType, bounceTypeOf, type Reason } from '../reply/reasons.ts';
import { MAILBOX_FULL_RULES } from '../reply/recipient-rules.ts';
import { MAILBOX_CODES } from '../reply/reply-codes.ts';
import { matchRules, plainText } from '../reply/text.ts';
import { withoutFrames, withoutHost } from './bounce-text.ts';
import type { ReportedRecipient } from './read-dsn.ts';

/** PowerMTA's bounce categories. */
const CATEGORIES: Readonly<Record<string, Reason>> = {
  'bad-mailbox': 'mailbox_unknown',
  'inactive-mailbox': 'mailbox_disabled',
  'bad-domain': 'domain_unknown',
  'no-answer-from-host': 'host_unreachable',
  'quota-issues': 'mailbox_full',
  'relaying-issues': 'relay_denied',
  'spam-related': 'spam',
  'spam-block': 'blocklisted',
  'spam-content': 'spam',
  'policy-related': 'policy',
  'content-related': 'content_policy',
  'virus-related': 'virus',
  'routing-errors': 'routing_loop',
  'bad-connection': 'host_unreachable',
  'bad-configuration': 'system_error',
  'protocol-errors': 'protocol_error',
  'message-expired': 'expired',
};

/**
 * Decides what a report by others means for one recipient. More careful than with a reply of our own session:
 * words that name a mailbox are proof only if the report says that RCPT was refused, or if a host reports
 * that answers for the mailbox; a refusal of DATA may have been meant for another recipient of that session.
 */
export function classifyReport(recipient: ReportedRecipient): Classification {
  const diagnostic = (recipient.diagnosticCode ?? recipient.explanation).replace(/\s+/g, ' ').trim();
  const verdict = { reason: null, suppress: false, bounceType: null, diagnostic };
  if (recipient.action !== 'failed' && recipient.action !== 'delayed') {
    return { ...verdict, outcome: 'sent', enhancedStatus: recipient.status ?? '2.0.0' };
  }
  const finding = reasonOf(recipient);
  const permanent = recipient.action === 'failed';
  const enhancedStatus = recipient.status ?? finding.status ?? defaultStatus(finding, permanent);
  if (!permanent) return { ...verdict, outcome: 'deferred', reason: finding.reason, enhancedStatus };
  const confirmed = isConfirmed(finding, recipient);
  const reason = !confirmed && finding.reason === 'mailbox_unknown' ? 'mailbox_refused' : finding.reason;
  return {
    outcome: 'bounced',
    bounceType: typeOf(reason, confirmed),
    reason,
    suppress: confirmed && isSuppressing(finding, recipient),
    enhancedStatus,
    diagnostic,
  };
}

/** Unspecific reasons: the report's text around the diagnostic may say more. */
const GENERIC: ReadonlySet<Reason> = new Set([
  'unspecified',
  'system_error',
  'protocol_error',
  'policy',
  'mailbox_refused',
  'mailbox_unknown',
]);

/**
 * A definite status or words of the diagnostic first, then the reporter's own category, then all of its text.
 */
function reasonOf(recipient: ReportedRecipient): Finding {
  const { status, replyCode: code, step, diagnosticCode } = recipient;
  const evidence = (text: string): Evidence => ({ status, code, text, step });
  if (recipient.diagnosticType === 'x-unix' && isAgentFailure(diagnosticCode ?? '')) {
    return { reason: 'mailer_error', basis: 'text', definite: true };
  }
  const said = withoutHost(diagnosticCode ?? '');
  const narrow = findReason(evidence(said));
  const disputed = contradicted(narrow, recipient);
  if (narrow.definite === true && !disputed) return narrow;
  const category = CATEGORIES[recipient.category ?? ''];
  if (category !== undefined)
    return {
      reason: category,
      basis: 'status',
      definite: true,
      ...(recipient.status === null ? {} : { status: recipient.status }),
    };
  if (disputed) return REFUSED;
  if (narrow.basis === 'text' && !GENERIC.has(narrow.reason)) return narrow;
  const wide = findReason(evidence(`${said}\n${withoutFrames(recipient.explanation)}`));
  // The refusing server was reached and said no for good: other hosts, later tries and what passes are not
  // the cause.
  if (code >= 500 && narrow.basis === 'step' && PASSING.has(wide.reason)) return narrow;
  if (narrow.reason === 'mailbox_unknown') return wide.reason === 'mailbox_disabled' ? wide : narrow;
  const tellsMore = wide.definite === true || (wide.basis === 'text' && wide.reason !== 'policy');
  return tellsMore ? wide : narrow;
}

const PASSING: ReadonlySet<Reason> = new Set([
  'host_unreachable',
  'dns_failure',
  'expired',
  'rate_limited',
  'system_error',
]);

const REFUSED: Finding = { reason: 'mailbox_refused', basis: 'text' };

/**
 * 5.2.1 says that the mailbox exists and is closed, "unknown user" that it does not: only a refused RCPT
 * settles it.
 */
function contradicted(finding: Finding, recipient: ReportedRecipient): boolean {
  if (finding.reason !== 'mailbox_disabled' || recipient.step === 'rcpt') return false;
  return findReason({ ...NO_STATUS, text: recipient.diagnosticCode ?? '' }).reason === 'mailbox_unknown';
}

const NO_STATUS = { status: '5.0.0', code: 0, step: 'unknown' } as const;

/** The program that should have stored the message failed; its exit code made the status up. */
function isAgentFailure(diagnostic: string): boolean {
  if (matchRules(MAILBOX_FULL_RULES, plainText(diagnostic)) !== null) return false;
  return /procmail|maildrop|command (?:died|failed|time)|exit(?:ed)? (?:status|code)|cannot exec|permission denied/i.test(
    diagnostic,
  );
}

function isConfirmed(finding: Finding, recipient: ReportedRecipient): boolean {
  if (finding.definite === true) return true;
  // A closed mailbox may be opened again: what a report says in words alone is not enough.
  if (finding.reason === 'mailbox_disabled') return false;
  if (finding.reason === 'mailbox_moved') return isAboutRecipient(recipient);
  if (finding.reason !== 'mailbox_unknown') return true;
  return isAboutRecipient(recipient) || saysSoItself(recipient) || isReported(recipient);
}

/**
 * The reporting server must know it, or the words are all that the report gives as this recipient's
 * diagnostic. Where a third party quotes an answer, the status that it chose counts: it does not say to which
 * command, and filters answer DATA in these words. A status of the mailbox (x.2) says that the mailbox
 * exists, one of the system (x.3) that something else is wrong.
 */
function isReported(recipient: ReportedRecipient): boolean {
  const { status, step, diagnosticType, diagnosticCode } = recipient;
  if (step === 'data') return false;
  const said = /^[245]\.\d{1,3}\.\d{1,3}(?=\s)/.exec(diagnosticCode ?? '')?.[0] ?? status;
  if (/^[45]\.[23]\./.test(said ?? '')) return false;
  return recipient.byOwnHost === true || (diagnosticType !== null && said === null);
}

/** The report says so by its status, by the step that was refused, or by quoting no server at all. */
function isAboutRecipient({ status, step, replyCode }: ReportedRecipient): boolean {
  // Any status of the address subject, registered or not, bears out words that say the same.
  return /^[45]\.1\./.test(status ?? '') || step === 'rcpt' || replyCode === 0;
}

/** No server is quoted: the reporting host speaks of a mailbox of its own. */
function saysSoItself(recipient: ReportedRecipient): boolean {
  if (recipient.diagnosticType !== null) return false;
  const own = recipient.explanation.split('\n').filter((line) => !/(?:^|\D)[245]\d\d[- ]/.test(line));
  return findReason({ ...NO_STATUS, text: own.join('\n') }).reason === 'mailbox_unknown';
}

function typeOf(reason: Reason, confirmed: boolean): BounceType {
  const type = bounceTypeOf(reason);
  if (type === 'hard' && !confirmed) return 'soft';
  // A failure report about a host that never answered means that the time ran out.
  return reason === 'host_unreachable' ? 'expired' : type;
}

/**
 * A status that is about the mailbox, or words that are: as the answer to RCPT, or of a host that must know.
 */
function isSuppressing(finding: Finding, recipient: ReportedRecipient): boolean {
  if (bounceTypeOf(finding.reason) !== 'hard') return false;
  if (finding.basis === 'status') return SUPPRESSING_CODES.has(finding.status ?? '');
  const { replyCode, step, byOwnHost } = recipient;
  if (MAILBOX_CODES.has(replyCode) && step === 'rcpt') return true;
  if (finding.reason !== 'mailbox_unknown' || byOwnHost !== true) return false;
  return replyCode === 0 || MAILBOX_CODES.has(replyCode);
}

/** Reasons that words alone do not prove: filters, owners and moderators use such words for much. */
const UNSURE_BY_WORDS: ReadonlySet<Reason> = new Set([
  'unspecified',
  'system_error',
  'policy',
  'content_policy',
  'mailbox_refused',
  'mailbox_moved',
  'sender_refused',
]);

/**
 * True if the report is definite: a status, a reply code, or words that can mean one thing only. A notice
 * that a message is held for review, a challenge and an answer by a person do not. RFC 3464 §2.3.4 asks for a
 * status.
 */
export function isDefinite(recipient: ReportedRecipient): boolean {
  if (recipient.status !== null || recipient.replyCode !== 0) return true;
  return !UNSURE_BY_WORDS.has(reasonOf(recipient).reason);
}
