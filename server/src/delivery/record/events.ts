import type { BounceReason, BounceType } from '@acuse/mail/reply/reasons';
import type { TlsFacts } from '@acuse/mail/smtp/types';
import { bounceOf, deferralOf } from '../../messages/bounce.ts';
import { tlsRecord } from '../attempt/conversation.ts';
import type { CancelledBy, LastReply } from './outcome.ts';

export function sentEvent(to: string, reply: LastReply, tls: TlsFacts | null) {
  return { to, mx: reply.mx, ...words(reply), tls: tls === null ? null : tlsRecord(tls) };
}

export function deferredEvent(to: string, reply: LastReply, attempt: number, outcome: Deferred) {
  const { nextAttemptAt, reason } = outcome;
  const deferral = deferralOf('deferred', reason, reply);
  return { to, attempt, next_attempt_at: nextAttemptAt.toISOString(), deferral, ...words(reply) };
}

interface Deferred {
  readonly nextAttemptAt: Date;
  readonly reason: BounceReason;
}

interface Why {
  readonly bounceType: BounceType;
  readonly reason: BounceReason;
}

/** `asynchronous`: reported by mail after a server had accepted the message. */
export function bouncedEvent(to: string, reply: LastReply, why: Why, asynchronous: boolean) {
  const bounce = bounceOf(why.bounceType, why.reason, asynchronous, reply);
  return { to, bounce_type: why.bounceType, bounce, ...words(reply), asynchronous };
}

export function complainedEvent(to: string, feedbackType: string) {
  return { to, feedback_type: feedbackType };
}

/** Listed only, never delivered. docs/decisions/0012 */
export function cancelledEvent(to: string, by: CancelledBy) {
  return { to, cancelled_by: by };
}

function words(reply: LastReply) {
  return { reply_code: reply.code, enhanced: reply.enhanced, reply: reply.text };
}
