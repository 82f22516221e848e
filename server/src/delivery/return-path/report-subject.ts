import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { sameAddress } from '@acuse/mail/report/addresses';
import type { DeliveryReport, ReportedRecipient } from '@acuse/mail/report/read-dsn';
import { fromXtext } from '@acuse/mail/smtp/commands';
import type { ReturnedMessageRow } from './return-path-store.ts';

/** Matches a report with our message and recipient. Pure. */

/**
 * `final`: our recipient failed. `original`: a forwarded copy failed, which says nothing about ours.
 * `another`: other recipient or message.
 */
export interface Subject {
  readonly recipient: ReportedRecipient;
  readonly names: 'final' | 'original' | 'another';
}

export function subjectOf(report: DeliveryReport, message: ReturnedMessageRow): Subject {
  const own = message.recipient_address;
  const [first] = report.recipients;
  const failed = report.recipients.find((one) => one.action === 'failed') ?? first!;
  if (isAboutAnotherMessage(report, message.message_id)) return { recipient: failed, names: 'another' };
  const final = report.recipients.find((one) => isSame(one.finalRecipient, own));
  if (final !== undefined) return { recipient: final, names: 'final' };
  const original = report.recipients.find(
    (one) => one.originalRecipient !== null && isSame(one.originalRecipient, own),
  );
  if (original !== undefined) return { recipient: original, names: 'original' };
  return { recipient: failed, names: 'another' };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const EVIDENCE_ID = /(?:^|;)\s*id=([0-9a-f-]{36})\s*(?:;|$)/i;

/** Its envelope id or returned message is another: a reused report. */
function isAboutAnotherMessage({ originalEnvelopeId, original }: DeliveryReport, messageId: string): boolean {
  const returned = original.headers?.all('service-evidence') ?? [];
  const named = [originalEnvelopeId, ...returned.map((value) => EVIDENCE_ID.exec(value)?.[1] ?? null)];
  return named.some((id) => id !== null && UUID.test(id) && id.toLowerCase() !== messageId);
}

/** Some servers report addresses in ORCPT's xtext. RFC 3461 §4 */
function isSame(reported: string, own: string): boolean {
  if (sameAddress(reported, own) || sameAddress(fromXtext(reported), own)) return true;
  try {
    return compareKey(parseAddress(reported)) === compareKey(parseAddress(own));
  } catch {
    // Not necessarily an address.
    return false;
  }
}
