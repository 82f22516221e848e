/**
 * The two things in a report that are meant for people: what its writer says, and the message it gives back.
 */
import { addressesIn, addressOfField } from './addresses.ts';
import { distinct } from './bounce-text.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import { type HeaderFields, parseHeaderFields } from './header-fields.ts';
import { decodedOctets, decodedText, type MimePart } from './lenient-mime.ts';
import { MAX_STATUS_BYTES, MAX_TEXT_CHARS } from './limits.ts';

/** The media types of the machine-readable part. RFC 3464 §2.1, RFC 6533 §4 */
export const STATUS_TYPES = new Set(['message/delivery-status', 'message/global-delivery-status']);
/** The media types of the returned message, whole or its header. */
export const MESSAGE_TYPES: ReadonlySet<string> = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global-headers',
  'message/partial',
]);

/** The report's part about its message; null: none. */
export interface ReturnedMessage {
  readonly messageId: string | null;
  readonly returnPath: string | null;
  readonly to: readonly string[];
  readonly headers: HeaderFields | null;
}

/** All text parts before the first machine-readable one, HTML only if there is no plain text. */
export function humanText(parts: readonly MimePart[]): string {
  let plain = '';
  let html = '';
  for (const part of parts) {
    if (part.parts.length > 0) continue;
    if (MESSAGE_TYPES.has(part.type)) break;
    if (STATUS_TYPES.has(part.type)) continue;
    if (part.type === 'text/html') html ||= stripTags(decodedText(part, MAX_TEXT_CHARS * 2));
    else if (part.type.startsWith('text/') || part.type.startsWith('multipart/')) {
      plain += `${decodedText(part, MAX_TEXT_CHARS)}\n`;
    }
  }
  return (plain.trim() === '' ? html : plain).slice(0, MAX_TEXT_CHARS);
}

function stripTags(html: string): string {
  return html
    .replace(/<(?:br|\/p|\/div|\/tr|\/h\d)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&nbsp;/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

/** The returned message, from its own part or from after the text. */
export function originalOf(
  parts: readonly MimePart[],
  behind: string,
  status: DeliveryStatus | null,
): ReturnedMessage {
  const part = parts.find((one) => MESSAGE_TYPES.has(one.type) && one.body.trim() !== '');
  const block = part === undefined ? behind : decodedOctets(part, MAX_STATUS_BYTES).replace(/^\s+/, '');
  const start = block.search(/^[A-Za-z][A-Za-z0-9-]{1,60}: ?\S/m);
  const headers = start === -1 ? null : parseHeaderFields(headerBlock(block.slice(start)));
  const messageId = headers?.get('message-id') ?? null;
  return {
    messageId: messageId === null ? null : (/<[^<>\s]{1,990}>/.exec(messageId)?.[0] ?? null),
    returnPath:
      addressOfField(headers?.get('return-path') ?? '') ?? status?.message.originalEnvelopeId ?? null,
    to: distinct((headers?.all('to') ?? []).flatMap((value) => addressesIn(value).map((one) => one.address))),
    headers,
  };
}

function headerBlock(text: string): string {
  const end = text.indexOf('\n\n');
  return end === -1 ? text : text.slice(0, end);
}
