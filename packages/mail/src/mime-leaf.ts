import { type DecodedText, decodeOctets, shownLabel } from './charset.ts';
import { fieldValue, type MimeEntity, refuse } from './mime-tree.ts';
import { readStructuredField, type StructuredField } from './structured-field.ts';
import { decodeQuotedPrintable } from './transfer-encoding.ts';

/** Longest type or charset quoted in a message; ours. */
const PART_NAME_MAX_CHARS = 40;

/** The bytes of a leaf. Throws MailInputError for an encoding that is unknown or broken. RFC 2045 §6 */
export function decodeContent(leaf: MimeEntity): Uint8Array {
  const field = readStructuredField(fieldValue(leaf, 'content-transfer-encoding') ?? '');
  switch (field?.value) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
    case '7-bit':
    case '8-bit':
      return leaf.body;
    case 'quoted-printable':
      return decodeQuotedPrintable(leaf.body);
    case 'base64':
      return decodeBase64(leaf.body);
    default:
      throw refuse(
        'transfer_encoding',
        'the Content-Transfer-Encoding must be 7bit, 8bit, quoted-printable or base64',
      );
  }
}

/**
 * Line breaks are skipped, as RFC 2045 §6.8 asks; anything else outside the alphabet would be content lost in
 * silence.
 */
function decodeBase64(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const padding = text.indexOf('=');
  if (/[^A-Za-z0-9+/=\s]/.test(text) || (padding >= 0 && /[^=\s]/.test(text.slice(padding)))) {
    throw refuse('base64', 'a part is not valid base64');
  }
  return Buffer.from(text, 'base64');
}

/** The name of a leaf in warnings and errors. */
export function partName({ type }: MimeEntity, octets: Uint8Array): string {
  const label = type.parameters.get('charset');
  const charset = label === undefined ? '' : `; charset=${label.slice(0, PART_NAME_MAX_CHARS)}`;
  return `part of ${octets.length} bytes (${type.value.slice(0, PART_NAME_MAX_CHARS)}${charset})`;
}

/**
 * The text of a leaf by its charset. Throws MailInputError for a charset that cannot be read or that the
 * bytes do not keep to.
 */
export function decodeText(leaf: MimeEntity): DecodedText {
  const octets = decodeContent(leaf);
  const label = leaf.type.parameters.get('charset') ?? '';
  const decoded = decodeOctets(octets, label);
  if (decoded === 'unreadable')
    throw refuse('charset', `the charset ${shownLabel(label)} cannot be read: send the text in UTF-8`);
  if (decoded !== 'invalid') return decoded;
  const fix = 'write it in that charset, name the charset that it is in, or name none';
  throw refuse('text_encoding', `the ${partName(leaf, octets)} is not valid in its charset: ${fix}`);
}

/** Content-Disposition, or one without a value. Throws MailInputError for a malformed one. RFC 2183 §2 */
export function readDisposition(leaf: MimeEntity): StructuredField {
  const field = readStructuredField(fieldValue(leaf, 'content-disposition') ?? '');
  if (field === null) throw refuse('content_disposition', 'the Content-Disposition is malformed');
  return field;
}

/** A malformed or unknown disposition means an attachment. RFC 2183 §2.8 */
export function isAttachment({ value, parameters }: StructuredField): boolean {
  return value !== 'inline' && (value !== '' || parameters.size > 0);
}
