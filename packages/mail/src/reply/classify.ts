import type { NetworkError, SmtpStage } from '../smtp/types.ts';
import { SUPPRESSING_CODES } from './enhanced-codes.ts';
import { evidenceOfReply, findReason, type RefusedStep } from './evidence.ts';
import type { Finding } from './finding.ts';
import type { SmtpReply } from './parse.ts';
import { formatReply } from './parse.ts';
import { type BounceType, bounceTypeOf, type Reason } from './reasons.ts';
import { MAILBOX_STATEMENTS } from './recipient-rules.ts';
import { MAILBOX_CODES, OTHER_MAILBOX_CODES } from './reply-codes.ts';
import { matchRules, plainText } from './text.ts';

/**
 * The result of an attempt, in one shape for every source: the server, the network, the DNS, our own clock or
 * the suppression list.
 */
export type AttemptFact =
  | { readonly kind: 'accepted'; readonly reply: SmtpReply }
  | { readonly kind: 'refused'; readonly stage: SmtpStage; readonly reply: SmtpReply }
  | { readonly kind: 'connection-failed'; readonly stage: SmtpStage; readonly error: NetworkError }
  | {
      readonly kind: 'unsupported';
      readonly extension: 'SIZE' | 'SMTPUTF8';
      readonly enhancedStatus: string;
      readonly detail: string;
    }
  | { readonly kind: 'routing'; readonly problem: RoutingProblem; readonly detail: string }
  /** The last attempt's verdict goes into the reason of what is then a bounce for want of time. */
  | { readonly kind: 'expired'; readonly last: Classification | null }
  | { readonly kind: 'suppressed' };

/** Why there is nowhere to connect to; the first four are final. */
export type RoutingProblem =
  | 'nxdomain'
  | 'null_mx'
  | 'no_host'
  | 'forbidden_address'
  | 'no_address'
  | 'servfail'
  | 'timeout'
  | 'mta_sts'
  | 'dane'
  | 'loop';

/**
 * The verdict on one attempt. `bounceType` is null unless bounced; `suppress` only ever concerns the
 * recipient that was refused; `enhancedStatus` is what a DSN says, RFC 3463 §2; `diagnostic` the words it
 * rests on.
 */
export interface Classification {
  readonly outcome: 'sent' | 'deferred' | 'bounced';
  readonly bounceType: BounceType | null;
  readonly reason: Reason | null;
  readonly suppress: boolean;
  readonly enhancedStatus: string;
  readonly diagnostic: string;
}

/**
 * Decides what happens to a message after an attempt. Pure.
 */
export function classify(fact: AttemptFact): Classification {
  switch (fact.kind) {
    case 'accepted':
      return sent(fact.reply);
    case 'refused':
      return refused(fact.stage, fact.reply);
    case 'connection-failed':
      return failed(fact.stage, fact.error);
    case 'unsupported':
      return unsupported(fact);
    case 'routing':
      return unroutable(fact.problem, fact.detail);
    case 'expired':
      return expired(fact.last);
    case 'suppressed':
      return {
        outcome: 'bounced',
        bounceType: 'suppressed',
        reason: null,
        suppress: false,
        enhancedStatus: '5.7.1',
        diagnostic: 'the recipient is on the suppression list',
      };
  }
}

function sent(reply: SmtpReply): Classification {
  return {
    outcome: 'sent',
    bounceType: null,
    reason: null,
    suppress: false,
    enhancedStatus: reply.enhanced ?? '2.0.0',
    diagnostic: formatReply(reply),
  };
}

function refused(stage: SmtpStage, reply: SmtpReply): Classification {
  const step = stepOf(stage);
  const finding = findReason(evidenceOfReply(reply, step));
  // A 5yz to the opening is about the session, not the message: another host, or a later hour, may take it.
  // RFC 5321 §3.1
  const permanent = reply.code >= 500 && step !== 'opening';
  const diagnostic = formatReply(reply);
  const enhancedStatus = reply.enhanced ?? finding.status ?? defaultStatus(finding, permanent);
  if (!permanent) return deferred(finding.reason, enhancedStatus, diagnostic);
  const suppress = namesMailbox(finding, reply);
  const bounceType = bounceTypeOf(finding.reason);
  const saysMailbox = finding.basis === 'text' && finding.reason.startsWith('mailbox_');
  return {
    outcome: 'bounced',
    // Words about the mailbox prove nothing if the code is about something else.
    bounceType: bounceType === 'hard' && !suppress && saysMailbox ? 'soft' : bounceType,
    reason: finding.reason,
    suppress,
    enhancedStatus,
    diagnostic,
  };
}

function namesMailbox(finding: Finding, reply: SmtpReply): boolean {
  if (bounceTypeOf(finding.reason) !== 'hard') return false;
  if (finding.basis === 'status') return SUPPRESSING_CODES.has(finding.status ?? '');
  if (finding.basis !== 'text' || !finding.reason.startsWith('mailbox_')) return false;
  if (MAILBOX_CODES.has(reply.code)) return true;
  return (
    OTHER_MAILBOX_CODES.has(reply.code) && matchRules(MAILBOX_STATEMENTS, plainText(reply.text)) !== null
  );
}

function deferred(reason: Reason, enhancedStatus: string, diagnostic: string): Classification {
  return { outcome: 'deferred', bounceType: null, reason, suppress: false, enhancedStatus, diagnostic };
}

function failed(stage: SmtpStage, error: NetworkError): Classification {
  const reason = networkReason(stage, error.code);
  const status = { tls_failure: '4.7.5', protocol_error: '4.5.0' }[reason as string];
  const fallback = stage === 'connect' ? '4.4.1' : '4.4.2';
  return deferred(reason, status ?? fallback, `${stage}: ${error.code} ${error.message}`.trim());
}

function networkReason(stage: SmtpStage, code: string): Reason {
  if (code.startsWith('tls_') || code === 'starttls_injection' || stage === 'tls') return 'tls_failure';
  if (code === 'bad_reply' || code === 'reply_too_long' || code === 'unsolicited_reply')
    return 'protocol_error';
  return 'host_unreachable';
}

function unsupported(fact: Extract<AttemptFact, { kind: 'unsupported' }>): Classification {
  const reason: Reason = fact.extension === 'SIZE' ? 'message_too_large' : 'content_unreadable';
  return {
    outcome: 'bounced',
    bounceType: bounceTypeOf(reason),
    reason,
    suppress: false,
    enhancedStatus: fact.enhancedStatus,
    diagnostic: fact.detail,
  };
}

const ROUTING: Readonly<Record<RoutingProblem, { reason: Reason; status: string; suppress: boolean }>> = {
  nxdomain: { reason: 'domain_unknown', status: '5.1.2', suppress: true },
  null_mx: { reason: 'domain_refuses_mail', status: '5.1.10', suppress: true },
  // The name exists and has neither MX nor address: nobody to talk to, though the domain may yet be set up.
  no_host: { reason: 'domain_unknown', status: '5.4.4', suppress: false },
  // Its hosts are in networks that we must not enter: waiting changes nothing, and the recipient's address
  // may be valid for others.
  forbidden_address: { reason: 'dns_failure', status: '5.4.4', suppress: false },
  no_address: { reason: 'dns_failure', status: '4.4.4', suppress: false },
  servfail: { reason: 'dns_failure', status: '4.4.3', suppress: false },
  timeout: { reason: 'dns_failure', status: '4.4.3', suppress: false },
  mta_sts: { reason: 'tls_failure', status: '4.7.5', suppress: false },
  dane: { reason: 'tls_failure', status: '4.7.5', suppress: false },
  loop: { reason: 'routing_loop', status: '5.4.6', suppress: false },
};

function unroutable(problem: RoutingProblem, detail: string): Classification {
  const { reason, status, suppress } = ROUTING[problem];
  if (status.startsWith('4')) return deferred(reason, status, detail);
  return {
    outcome: 'bounced',
    bounceType: bounceTypeOf(reason),
    reason,
    suppress,
    enhancedStatus: status,
    diagnostic: detail,
  };
}

function expired(last: Classification | null): Classification {
  return {
    outcome: 'bounced',
    bounceType: 'expired',
    reason: last?.reason ?? 'expired',
    suppress: false,
    enhancedStatus: '5.4.7',
    diagnostic: last === null ? 'delivery time expired' : `delivery time expired; last: ${last.diagnostic}`,
  };
}

/** The step as findReason knows it. */
export function stepOf(stage: SmtpStage): RefusedStep {
  if (stage === 'mail' || stage === 'rcpt') return stage;
  return stage === 'data' || stage === 'body' || stage === 'dot' ? 'data' : 'opening';
}

const DEFAULT_STATUS: Partial<Record<Reason, string>> = {
  mailbox_unknown: '1.1',
  domain_unknown: '1.2',
  address_syntax: '1.3',
  mailbox_moved: '1.6',
  mailbox_disabled: '2.1',
  mailbox_full: '2.2',
  message_too_large: '3.4',
  domain_refuses_mail: '3.2',
  host_unreachable: '4.1',
  routing_loop: '4.6',
  expired: '4.7',
};

/** The status for a DSN where the server gave none; policy in general is x.7.1. */
export function defaultStatus(finding: Finding, permanent: boolean): string {
  const klass = permanent ? '5' : '4';
  const known = DEFAULT_STATUS[finding.reason];
  if (known !== undefined) return `${klass}.${known}`;
  return bounceTypeOf(finding.reason) === 'policy' ? `${klass}.7.1` : `${klass}.0.0`;
}
