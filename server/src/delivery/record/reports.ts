import type { Classification } from '@acuse/mail/reply/classify';
import { buildDsn } from '@acuse/mail/report/dsn';
import { type ReportRecipe, writeOwnReport } from '@acuse/mail/report/own-report';
import type { ReportedRecipient } from '@acuse/mail/report/read-dsn';
import { OUTCOME_KINDS } from './outcome-kinds.ts';
import type { Attempted } from './result.ts';

/** Delivery status notifications (RFC 3464 §2), stored and served, never mailed. Pure. */

/** Time after which a deferred message gets a `delayed` report. RFC 5321 §4.5.4.1 leaves it to us. */
const DELAYED_AFTER_MS = 4 * 3_600_000;

export function reportOn(result: Attempted, hostname: string): ReportRecipe | null {
  const { item, decision, fact, finishedAt, header, mx } = result;
  const { outcome, verdict } = decision;
  const action = OUTCOME_KINDS[outcome.kind].report;
  if (action === null || verdict === null) return null;
  if (outcome.kind === 'deferred' && finishedAt.getTime() - item.acceptedAt.getTime() < DELAYED_AFTER_MS)
    return null;
  const replied = fact.kind === 'accepted' || fact.kind === 'refused';
  return {
    form: 1,
    action,
    host: hostname,
    arrived_at: item.acceptedAt.toISOString(),
    header_bytes: header.length,
    status: verdict.enhancedStatus,
    ...(mx === null ? {} : { remote_mta: mx }),
    ...(replied
      ? { reply: { ...fact.reply, text: withoutNul(fact.reply.text) } }
      : { diagnostic: withoutNul(verdict.diagnostic) }),
    ...(outcome.kind === 'deferred' ? { retry_until: item.expiresAt.toISOString() } : {}),
  };
}

/** PostgreSQL's jsonb takes no NUL. */
function withoutNul(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ');
}

export function writtenReport(recipe: ReportRecipe, { item, finishedAt, header }: Attempted): Uint8Array {
  const { messageId, senderAddress, recipientAddress } = item;
  return writeOwnReport(recipe, { messageId, senderAddress, recipientAddress, finishedAt, raw: header });
}

/** Larger reports quote a whole message, and are replaced by ours (bytes). */
export const MAX_KEPT_BYTES = 262_144;

/** True if a late bounce is stored as received: standard, of ordinary size. */
export function isKept(recipient: ReportedRecipient, bytes: Uint8Array): boolean {
  return recipient.standard && bytes.length <= MAX_KEPT_BYTES;
}

/** Replaces a non-standard late bounce. */
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
    id: `${bounce.messageId}-failed`,
    reportingMta: bounce.hostname,
    from: `Mail Delivery System <MAILER-DAEMON@${bounce.hostname}>`,
    to: bounce.senderAddress,
    date: bounce.at,
    envelopeId: bounce.messageId,
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
