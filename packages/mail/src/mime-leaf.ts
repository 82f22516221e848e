import { isUtf8 } from 'node:buffer';
import { fieldValue, type MimeEntity, refuse } from './mime-tree.ts';
import { readStructuredField, type StructuredField } from './structured-field.ts';
import { decodeQuotedPrintable } from './transfer-encoding.ts';

/** Labels under which mailers send what turns out to be UTF-8. */
const ASCII_LABELS = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968']);

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

/**
 * The text of a leaf by its charset. Throws MailInputError for a charset that is unknown or that the bytes do
 * not keep to.
 */
export function decodeText(leaf: MimeEntity): string {
  const bytes = decodeContent(leaf);
  const label = (leaf.type.parameters.get('charset') ?? '').trim().toLowerCase();
  const charset = ASCII_LABELS.has(label) ? 'utf-8' : label;
  // A byte order mark says what the charset has said already; kept, it would be a character of the text.
  if (charset === 'utf-8' && !isUtf8(bytes))
    throw refuse('text_encoding', 'a text is not valid in its charset');
  const decoder = decoderOf(charset);
  try {
    return decoder.decode(bytes);
  } catch {
    throw refuse('text_encoding', 'a text is not valid in its charset');
  }
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw refuse('charset', `the charset ${JSON.stringify(label.slice(0, 40))} is unknown`);
  }
}

/** Content-Disposition, or one without a value. Throws MailInputError for a malformed one. RFC 2183 §2 */
export function readDisposition(leaf: MimeEntity): StructuredField {
  const field = readStructuredField(fieldValue(leaf, 'content-disposition') ?? '');
  if (field === null) throw refuse('content_disposition', 'the Content-Disposition is malformed');
  return field;
}

/** One that is malformed, or unknown, is an attachment. RFC 2183 §2.8 */
export function isAttachment({ value, parameters }: StructuredField): boolean {
  return value !== 'inline' && (value !== '' || parameters.size > 0);
}
