import type { Reason } from '../reply/reasons.ts';
import { type Complaint, readComplaint } from './arf.ts';
import { type AutoReplySign, autoReplySign } from './auto-reply.ts';
import { classifyReport, isDefinite } from './classify-report.ts';
import { fieldText, HeaderFields } from './header-fields.ts';
import { readJsonComplaint } from './json-complaint.ts';
import { type MimePart, parseMime } from './lenient-mime.ts';
import { type DeliveryReport, isDeclared, type ReportedRecipient, readDeliveryReport } from './read-dsn.ts';
import { type Receipt, readReceipt } from './receipt.ts';

/** A mail that came back to the return path. */
export type ReturnedMail =
  | { readonly kind: 'report'; readonly report: DeliveryReport }
  | { readonly kind: 'complaint'; readonly complaint: Complaint }
  /** A statement of the recipient's program. */
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'auto-reply'; readonly sign: AutoReplySign }
  | { readonly kind: 'unrecognized' };

/**
 * Tells delivery reports, complaints and automatic answers apart. Never throws on content, however hostile;
 * reads at most the first 2 MiB. `reversePath` of the envelope, where the mail came by SMTP: an empty one is
 * a sign of reports.
 */
export function readReturnedMail(bytes: Uint8Array, reversePath: string | null = null): ReturnedMail {
  const message = delivered(parseMime(bytes), reversePath);
  const complaint = readComplaint(message) ?? readJsonComplaint(message);
  if (complaint !== null) return { kind: 'complaint', complaint };
  const receipt = readReceipt(message);
  if (receipt !== null) return { kind: 'receipt', receipt };
  const sign =
    message.parameters.get('report-type') === 'disposition-notification'
      ? 'disposition'
      : autoReplySign(message.headers);
  const report = isAnswer(message) ? null : naming(readDeliveryReport(message));
  // Exim and Postfix mark their reports auto-replied, too.
  if (report !== null && (sign === null ? isPlausible(report) : isCertain(report)))
    return { kind: 'report', report };
  return sign === null ? { kind: 'unrecognized' } : { kind: 'auto-reply', sign };
}

/** With the field that the last server on the way writes; another proves nothing. RFC 5321 §4.4 */
function delivered(message: MimePart, reversePath: string | null): MimePart {
  if (reversePath === null) return message;
  const others = message.headers.entries().filter(([name]) => name !== 'return-path');
  return { ...message, headers: new HeaderFields([['return-path', `<${reversePath}>`], ...others]) };
}

/** A report that names nobody counts if it is plain about what happened: letters name nobody either. */
function naming(report: DeliveryReport | null): DeliveryReport | null {
  const names = (recipient: ReportedRecipient) => recipient.finalRecipient !== '' || isDefinite(recipient);
  return report?.recipients.every(names) === true ? report : null;
}

/** A person's reply, or an automatic one in the same form: it quotes much, and reports nothing. */
function isAnswer(message: MimePart): boolean {
  if (isDeclared(message)) return false;
  const { headers } = message;
  if (headers.has('in-reply-to') || headers.has('references')) return true;
  return /^\s*(?:re|aw|antw|rv|sv|vs|res|r|fwd?|wg|tr)(?:\[\d{1,3}\])?\s?:/i.test(
    fieldText(headers.get('subject') ?? ''),
  );
}

/** Says itself that it is a report, or has what only reports have. */
function isCertain(report: DeliveryReport): boolean {
  return (
    report.declared ||
    report.recipients.some((one) => one.standard || one.replyCode !== 0 || one.status !== null)
  );
}

/**
 * A text of unknown kind counts only if it gives a reason: an answer to our mail that merely names an address
 * is not a bounce.
 */
function isPlausible(report: DeliveryReport): boolean {
  if (isCertain(report)) return true;
  return report.recipients.some((one) => {
    const { reason } = classifyReport(one);
    return reason !== null && !VAGUE.has(reason);
  });
}

const VAGUE: ReadonlySet<Reason> = new Set(['unspecified', 'policy', 'system_error']);
