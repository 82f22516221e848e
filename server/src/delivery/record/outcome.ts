import { type AttemptFact, type Classification, classify } from '@acuse/mail/reply/classify';
import type { SmtpReply } from '@acuse/mail/reply/parse';
import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';
import type { WindowNews } from '../attempt/destinations.ts';
import { storable } from '../text.ts';

/**
 * The cause that ended the attempt; `fault`: local (`passing`: of this machine or database, so that a retry
 * may succeed).
 */
export type Fact =
  | AttemptFact
  | { readonly kind: 'fault'; readonly detail: string; readonly passing?: boolean };

/** Cancelled untried. */
export interface Cancelled {
  readonly kind: 'cancelled';
  readonly by: CancelledBy;
}

export type CancelledBy = 'sender' | 'operator';

export type Outcome =
  /** 2xx to the final dot. A late bounce or complaint may follow. */
  | { readonly kind: 'sent' }
  /** Not accepted, not permanently refused. */
  | { readonly kind: 'deferred'; readonly nextAttemptAt: Date; readonly reason: BounceReason }
  /** Permanently refused or given up. `suppress`: the recipient is suppressed. */
  | {
      readonly kind: 'bounced';
      readonly bounceType: BounceType;
      readonly reason: BounceReason;
      readonly suppress: boolean;
    }
  /** Cancelled before any server took it. docs/decisions/0012 */
  | { readonly kind: 'cancelled'; readonly by: CancelledBy };

/** The deciding reply. `code` null: no server answered. */
export interface LastReply {
  readonly code: number | null;
  readonly enhanced: string | null;
  readonly text: string;
  readonly mx: string | null;
}

export interface Decision {
  readonly outcome: Outcome;
  /** Null: cancelled. */
  readonly verdict: Classification | null;
  readonly reply: LastReply;
}

export interface Judgement extends Decision {
  readonly verdict: Classification;
}

export interface Judged {
  readonly fact: Fact;
  readonly mx: string | null;
  /** This one included. */
  readonly attempts: number;
  readonly now: Date;
  readonly expiresAt: Date;
  /** 0 ≤ r < 1, for the jitter. */
  readonly random: number;
}

export function decide(judged: Judged): Judgement {
  const verdict = verdictOn(judged.fact);
  const reply = replyOf(judged.fact, verdict, judged.mx);
  if (verdict.outcome === 'sent') return { outcome: { kind: 'sent' }, verdict, reply };
  if (verdict.outcome === 'bounced') return { outcome: bounced(verdict), verdict, reply };
  if (judged.now >= judged.expiresAt) {
    const expired = classify({ kind: 'expired', last: verdict });
    return { outcome: bounced(expired), verdict: expired, reply };
  }
  const next = nextAttemptAt(judged.attempts, judged.now, judged.expiresAt, judged.random);
  const reason = verdict.reason ?? 'unspecified';
  return { outcome: { kind: 'deferred', nextAttemptAt: next, reason }, verdict, reply };
}

function bounced(verdict: Classification): Outcome {
  const { bounceType, reason, suppress } = verdict;
  return { kind: 'bounced', bounceType: bounceType ?? 'soft', reason: reason ?? 'suppressed', suppress };
}

export function cancellation(by: CancelledBy): Decision {
  const reply = { code: null, enhanced: null, text: `cancelled by the ${by}`, mx: null };
  return { outcome: { kind: 'cancelled', by }, verdict: null, reply };
}

function verdictOn(fact: Fact): Classification {
  if (fact.kind !== 'fault') return classify(fact);
  return {
    outcome: 'deferred',
    bounceType: null,
    reason: 'system_error',
    suppress: false,
    enhancedStatus: '4.3.0',
    diagnostic: fact.detail,
  };
}

/** Characters kept of a reply; the transcript has all. */
const MAX_REPLY_CHARS = 2_000;

function replyOf(fact: Fact, verdict: Classification, mx: string | null): LastReply {
  const given: SmtpReply | null = fact.kind === 'accepted' || fact.kind === 'refused' ? fact.reply : null;
  return {
    code: given?.code ?? null,
    enhanced: given === null ? verdict.enhancedStatus : given.enhanced,
    text: storable(given?.text ?? verdict.diagnostic, MAX_REPLY_CHARS),
    mx,
  };
}

/** The attempt's news about the destination. */
export function newsOf(fact: Fact, verdict: Classification): WindowNews {
  switch (fact.kind) {
    case 'accepted':
      return 'ok';
    case 'refused':
      if (fact.reply.code === 421 || fact.stage === 'banner' || fact.stage === 'ehlo') return 'busy';
      return isThrottled(verdict) ? 'busy' : 'ok';
    case 'connection-failed':
      return fact.error.code === 'aborted' ? 'none' : 'unreachable';
    default:
      return 'none';
  }
}

/** A 4.7.x about volume or reputation; greylisting is about one message. */
function isThrottled(verdict: Classification): boolean {
  if (verdict.outcome !== 'deferred' || verdict.reason === 'greylisted') return false;
  return verdict.enhancedStatus.startsWith('4.7.') || verdict.reason === 'rate_limited';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after each attempt; the last repeats. Greylisting (RFC 6647 §2) ends within the first two. */
export const RETRY_DELAYS_MS: readonly number[] = [
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  40 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
];

/** Random spread of each wait. */
const JITTER = 0.1;

/** `attempts` ≥ 1, 0 ≤ `random` < 1. Never after `expiresAt`: the last attempt is made when time runs out. */
export function nextAttemptAt(attempts: number, now: Date, expiresAt: Date, random: number): Date {
  const delayMs = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0]!;
  const jitter = 1 + JITTER * (2 * random - 1);
  return new Date(Math.min(now.getTime() + Math.round(delayMs * jitter), expiresAt.getTime()));
}
