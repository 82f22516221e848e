import type { Classification } from '@acuse/mail/reply/classify';
import { buildDsn, type DsnRecipient } from '@acuse/mail/report/dsn';
import type { ReportedRecipient } from '@acuse/mail/report/read-dsn';
import { OUTCOME_KINDS } from './outcome-kinds.ts';
import type { NewReport } from './record-store.ts';
import type { Attempted } from './result.ts';

/** Delivery status notifications (RFC 3464 §2) as they are stored and served; none is ever mailed. Pure. */

/** A message deferred for this long gets a `delayed` report. RFC 5321 §4.5.4.1 leaves the time to us. */
export const DELAYED_AFTER_MS = 4 * 3_600_000;

/**
 * The report that an attempt makes, or null: one that defers a message for the moment makes none, and what
 * was cancelled did not fail.
 */
export function reportOn(result: Attempted, hostname: string): NewReport | null {
  const { item, decision, finishedAt } = result;
  const { outcome, verdict } = decision;
  const action = OUTCOME_KINDS[outcome.kind].report;
  if (action === null || verdict === null) return null;
  if (outcome.kind === 'deferred' && finishedAt.getTime() - item.acceptedAt.getTime() < DELAYED_AFTER_MS)
    return null;
  const report = buildDsn({
    ...frame(item.messageId, action, hostname, item.senderAddress, finishedAt),
    arrivalDate: item.acceptedAt,
    original: result.header,
    recipients: [recipientOf(result, verdict, action)],
  });
  return {
    tenantId: item.tenantId,
    messageId: item.messageId,
    action,
    report,
    createdAt: finishedAt,
    reportedByMail: null,
  };
}

function recipientOf(
  { item, decision, fact, mx, finishedAt }: Attempted,
  verdict: Classification,
  action: DsnRecipient['action'],
): DsnRecipient {
  const { outcome } = decision;
  const replied = fact.kind === 'accepted' || fact.kind === 'refused';
  return {
    finalRecipient: item.recipientAddress,
    originalRecipient: item.recipientAddress,
    action,
    status: verdict.enhancedStatus,
    ...(mx === null ? {} : { remoteMta: mx }),
    ...(replied ? { reply: fact.reply } : { diagnostic: verdict.diagnostic }),
    lastAttemptAt: finishedAt,
    ...(outcome.kind === 'deferred' ? { willRetryUntil: item.expiresAt } : {}),
  };
}

function frame(messageId: string, action: string, hostname: string, to: string, date: Date) {
  return {
    id: `${messageId}-${action}`,
    reportingMta: hostname,
    from: `Mail Delivery System <MAILER-DAEMON@${hostname}>`,
    to,
    date,
    envelopeId: messageId,
  };
}

/** A report larger than this quotes a whole message: one of ours is stored in its place. */
export const MAX_KEPT_BYTES = 262_144;

/**
 * Whether a late bounce is stored as it came: a standard one of ordinary size, in the words of the server
 * that refused the message.
 */
export function isKept(recipient: ReportedRecipient, bytes: Uint8Array): boolean {
  return recipient.standard && bytes.length <= MAX_KEPT_BYTES;
}

/** The report that replaces a late bounce of a non-standard kind. */
export function lateBounceReport(bounce: {
  messageId: string;
  senderAddress: string;
  recipientAddress: string;
  acceptedAt: Date;
  at: Date;
  hostname: string;
  header: Uint8Array;
  verdict: Classification;
}): Uint8Array {
  const { verdict } = bounce;
  return buildDsn({
    ...frame(bounce.messageId, 'failed', bounce.hostname, bounce.senderAddress, bounce.at),
    arrivalDate: bounce.acceptedAt,
    original: bounce.header,
    recipients: [
      {
        finalRecipient: bounce.recipientAddress,
        originalRecipient: bounce.recipientAddress,
        action: 'failed',
        status: verdict.enhancedStatus,
        // No server is named: we spoke to none.
        diagnostic: verdict.diagnostic,
      },
    ],
  });
}
