import { addressesIn, addressOfField } from './addresses.ts';
import { type HeaderFields, parseHeaderFields } from './header-fields.ts';
import { decodedOctets, decodedText, type MimePart, walk } from './lenient-mime.ts';
import { MAX_RECIPIENTS, MAX_STATUS_BYTES, MAX_VALUE_CHARS } from './limits.ts';
import { MESSAGE_TYPES } from './report-parts.ts';
import { asciiField, headerBlockOf, mailDate, writeReport } from './write-report.ts';

/**
 * A complaint about a message of ours. `feedbackType` is `abuse` unless the report says otherwise. RFC 5965
 * §3.5
 */
export interface Complaint {
  readonly feedbackType: string;
  readonly userAgent: string | null;
  readonly arrivalDate: string | null;
  readonly sourceIp: string | null;
  readonly originalMailFrom: string | null;
  readonly originalEnvelopeId: string | null;
  readonly reportedDomain: string | null;
  readonly recipients: readonly string[];
  readonly messageId: string | null;
  readonly headers: HeaderFields | null;
}

/** Types that are about the message but are not a person's complaint. RFC 5965 §7.3, RFC 6591 §3.1 */
const NOT_COMPLAINTS: ReadonlySet<string> = new Set(['not-spam', 'auth-failure', 'dmarc']);

/** True if the type means that somebody objects to the message. */
export function isObjection(complaint: Complaint): boolean {
  return !NOT_COMPLAINTS.has(complaint.feedbackType);
}

/**
 * Reads an ARF report, or one of the mails to which Hotmail's users' complaints come attached; null when it
 * is neither.
 */
export function readComplaint(message: MimePart): Complaint | null {
  const parts = [...walk(message)];
  const feedback = parts.find((part) => part.type === 'message/feedback-report');
  const fields =
    feedback === undefined ? null : parseHeaderFields(decodedOctets(feedback, MAX_STATUS_BYTES).trim());
  if (fields === null && !isAttachedComplaint(message)) return null;
  const headers = originalHeaders(parts);
  const named = [...(fields?.all('original-rcpt-to') ?? []), ...(fields?.all('removal-recipient') ?? [])];
  const recipients = named.flatMap((value) => addressOfField(value) ?? []);
  const fallback = [
    ...(headers?.all('x-hmxmroriginalrecipient') ?? []),
    ...(headers?.all('to') ?? []),
  ].flatMap((value) => addressesIn(value).map((one) => one.address));
  const value = (name: string) => fields?.get(name)?.slice(0, MAX_VALUE_CHARS) || null;
  return {
    feedbackType: value('feedback-type')?.toLowerCase() ?? 'abuse',
    userAgent: value('user-agent'),
    arrivalDate: value('arrival-date') ?? value('received-date'),
    sourceIp: value('source-ip'),
    originalMailFrom: addressOfField(value('original-mail-from') ?? ''),
    originalEnvelopeId: value('original-envelope-id'),
    reportedDomain: value('reported-domain'),
    recipients: (recipients.length > 0 ? recipients : fallback).slice(0, MAX_RECIPIENTS),
    messageId: /<[^<>\s]{1,990}>/.exec(headers?.get('message-id') ?? '')?.[0] ?? null,
    headers,
  };
}

/**
 * Microsoft's Junk Mail Reporting Programme sends the message as an attachment, without a feedback report.
 */
function isAttachedComplaint(message: MimePart): boolean {
  const from = message.headers.get('from') ?? '';
  if (!/staff@hotmail\.com|fbl@|feedback-?loop|complaints?@/i.test(from)) return false;
  const subject = message.headers.get('subject') ?? '';
  return (
    /complaint|abuse|junk|feedback/i.test(subject) &&
    message.parts.some((part) => part.type === 'message/rfc822')
  );
}

function originalHeaders(parts: readonly MimePart[]): HeaderFields | null {
  const part = parts.find((one) => MESSAGE_TYPES.has(one.type));
  if (part === undefined) return null;
  const text = decodedText(part, MAX_STATUS_BYTES).replace(/^\s+/, '');
  const end = text.indexOf('\n\n');
  return parseHeaderFields(end === -1 ? text : text.slice(0, end));
}

/** A complaint to write, as a provider's feedback loop would. RFC 5965 §3 */
export interface ComplaintInput {
  readonly id: string;
  readonly host: string;
  readonly from: string;
  readonly to: string;
  readonly date: Date;
  readonly feedbackType: 'abuse' | 'fraud' | 'virus' | 'other' | 'not-spam';
  readonly userAgent: string;
  readonly originalMailFrom: string;
  readonly originalRecipient: string;
  readonly arrivalDate: Date;
  readonly reportedDomain: string;
  readonly sourceIp?: string;
  readonly original: Uint8Array;
}

/** Writes a complaint. RFC 5965 §2 */
export function buildComplaint(input: ComplaintInput): Uint8Array {
  const fields = [
    asciiField('Feedback-Type', input.feedbackType),
    asciiField('User-Agent', input.userAgent),
    asciiField('Version', '1'),
    asciiField('Original-Mail-From', `<${input.originalMailFrom}>`),
    asciiField('Original-Rcpt-To', `<${input.originalRecipient}>`),
    asciiField('Arrival-Date', mailDate(input.arrivalDate)),
    asciiField('Reported-Domain', input.reportedDomain),
    asciiField('Source-IP', input.sourceIp ?? null),
  ];
  return writeReport(
    {
      id: input.id,
      host: input.host,
      from: input.from,
      to: input.to,
      subject: 'Email feedback report',
      date: input.date,
      reportType: 'feedback-report',
      autoSubmitted: 'auto-generated',
    },
    [
      {
        type: 'text/plain; charset=utf-8',
        description: 'Notification',
        body: 'This is an email abuse report for a message that a recipient marked as unwanted.\r\n',
      },
      { type: 'message/feedback-report', description: 'Feedback report', body: fields.join('') },
      {
        type: 'text/rfc822-headers',
        description: 'Reported message headers',
        body: headerBlockOf(input.original, MAX_STATUS_BYTES),
      },
    ],
  );
}
