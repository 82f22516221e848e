import { addressOfField } from './addresses.ts';
import type { Complaint } from './arf.ts';
import { type HeaderFields, parseHeaderFields } from './header-fields.ts';
import { decodedOctets, type MimePart, walk } from './lenient-mime.ts';
import { MAX_STATUS_BYTES, MAX_VALUE_CHARS } from './limits.ts';
import { originalOf } from './report-parts.ts';

/** A recipient's program's statement about a message. RFC 8098 §3.2 */
export interface Receipt {
  /** `displayed`, `deleted`, …; lower case. RFC 8098 §3.2.6.2 */
  readonly disposition: string;
  /** An error prevented it. RFC 8098 §3.2.6.3 */
  readonly isError: boolean;
  /** How it came about: `manual-action/mdn-sent-manually`. RFC 8098 §3.2.6.1 */
  readonly mode: string;
  readonly finalRecipient: string | null;
  readonly originalRecipient: string | null;
  /** The message's fields: the same as a complaint's. */
  readonly about: Pick<
    Complaint,
    'headers' | 'messageId' | 'originalEnvelopeId' | 'originalMailFrom' | 'recipients' | 'reportedDomain'
  >;
}

const TYPES: ReadonlySet<string> = new Set([
  'message/disposition-notification',
  // RFC 6533 §6
  'message/global-disposition-notification',
]);
const DISPOSITION =
  /^([a-z-]{1,40}\/[a-z-]{1,40})\s{0,9};\s{0,9}([a-z]{1,40})(?:\s{0,9}\/([a-z0-9,\s-]{1,200}))?/;

/** Null: not a receipt, or one that does not say what was done. */
export function readReceipt(message: MimePart): Receipt | null {
  const parts = [...walk(message)];
  const part = parts.find(({ type }) => TYPES.has(type));
  if (part === undefined) return null;
  const fields = parseHeaderFields(decodedOctets(part, MAX_STATUS_BYTES).trim());
  const read = DISPOSITION.exec(fields.get('disposition')?.trim().toLowerCase() ?? '');
  if (read === null) return null;
  const modifiers = (read[3] ?? '').split(',').map((each) => each.trim());
  const { headers } = originalOf(
    parts.filter((each) => each !== part),
    '',
    null,
  );
  const finalRecipient = recipientOf(fields, 'final-recipient');
  const originalRecipient = recipientOf(fields, 'original-recipient');
  // A field that programs leave out, though RFC 8098 §3.2.5 asks for it; those say it in others.
  const said = [
    fields.get('original-message-id'),
    headers?.get('message-id'),
    message.headers.get('in-reply-to'),
    message.headers.get('references'),
  ];
  const messageId = said.flatMap((it) => /<[^<>\s]{1,990}>/.exec(it ?? '')?.[0] ?? [])[0] ?? null;
  return {
    disposition: read[2]!,
    isError: modifiers.includes('error'),
    mode: read[1]!,
    finalRecipient,
    originalRecipient,
    about: {
      headers,
      messageId,
      originalEnvelopeId: null,
      originalMailFrom: null,
      recipients: [finalRecipient, originalRecipient].filter((each) => each !== null),
      reportedDomain: null,
    },
  };
}

/** `rfc822; ana@example.net` */
function recipientOf(fields: HeaderFields, name: string): string | null {
  const value = fields.get(name)?.slice(0, MAX_VALUE_CHARS) ?? '';
  return addressOfField(value.slice(value.indexOf(';') + 1).trim());
}
