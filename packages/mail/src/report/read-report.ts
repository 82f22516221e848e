import { type Complaint, readComplaint } from './arf.ts';
import { type AutoReplySign, autoReplySign } from './auto-reply.ts';
import { parseMime } from './lenient-mime.ts';
import { type DeliveryReport, readDeliveryReport } from './read-dsn.ts';

/** What came back to the return path. */
export type ReturnedMail =
  | { readonly kind: 'report'; readonly report: DeliveryReport }
  | { readonly kind: 'complaint'; readonly complaint: Complaint }
  | { readonly kind: 'auto-reply'; readonly sign: AutoReplySign }
  | { readonly kind: 'unrecognized' };

/** Tells delivery reports, complaints and automatic answers apart. Never throws on content, however hostile; reads at most 10 MiB. */
export function readReturnedMail(bytes: Uint8Array): ReturnedMail {
  const message = parseMime(bytes);
  const complaint = readComplaint(message);
  if (complaint !== null) return { kind: 'complaint', complaint };
  const report = readDeliveryReport(message);
  const sign = autoReplySign(message.headers);
  // Exim and Postfix mark their reports auto-replied, too: only what reads as no report is an answer.
  if (report !== null && (sign === null || isReport(report))) return { kind: 'report', report };
  return sign === null ? { kind: 'unrecognized' } : { kind: 'auto-reply', sign };
}

function isReport(report: DeliveryReport): boolean {
  return (
    report.declared ||
    report.recipients.some((one) => one.standard || one.replyCode !== 0 || one.status !== null)
  );
}
