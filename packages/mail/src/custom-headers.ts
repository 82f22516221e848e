import { type HeaderText, headerText, type MessageId, readMessageId } from './header-text.ts';
import { asciiHeader, machineHeader, messageIdHeader } from './header-write.ts';
import { MailInputError } from './input-error.ts';
import { CUSTOM_HEADER_NAME_MAX_CHARS, CUSTOM_HEADER_VALUE_MAX_BYTES, CUSTOM_HEADERS_MAX } from './limits.ts';

declare const customHeaderBrand: unique symbol;

/**
 * A header field that the sender adds, of the names we allow, known to be writable. Made by
 * createCustomHeaders.
 */
export type CustomHeader = {
  readonly [customHeaderBrand]: true;
  /** As given; compared without regard to case. */
  readonly name: string;
  readonly value: HeaderText;
  /** The whole field, folded, with its last CRLF. */
  readonly field: string;
};

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const ALLOWED = /^(?:x-.+|list-.+|references|in-reply-to|auto-submitted|feedback-id)$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Whether a sender may set this field: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID. */
export function isCustomHeaderName(name: string): boolean {
  return name.length <= CUSTOM_HEADER_NAME_MAX_CHARS && NAME.test(name) && ALLOWED.test(name.toLowerCase());
}

/**
 * The fields in the order given. Throws MailInputError for a name that is not allowed or stands twice, and
 * for a value that cannot be written.
 */
export function createCustomHeaders(
  entries: Iterable<readonly [name: string, value: string]>,
): CustomHeader[] {
  const headers: CustomHeader[] = [];
  const seen = new Set<string>();
  for (const [name, text] of entries) {
    const field = `headers.${name.slice(0, CUSTOM_HEADER_NAME_MAX_CHARS)}`;
    if (!isCustomHeaderName(name)) {
      const allowed = 'X-*, List-*, References, In-Reply-To, Auto-Submitted and Feedback-ID';
      throw new MailInputError('body', field, 'header_name', `cannot be set: only ${allowed} can`);
    }
    if (seen.has(name.toLowerCase()))
      throw new MailInputError('body', field, 'duplicate', 'is given twice: give each header once');
    if (seen.size === CUSTOM_HEADERS_MAX) {
      throw new MailInputError('body', 'headers', 'too_many', `give at most ${CUSTOM_HEADERS_MAX} headers`);
    }
    seen.add(name.toLowerCase());
    headers.push(customHeader(name, headerText(text.trim(), field, CUSTOM_HEADER_VALUE_MAX_BYTES), field));
  }
  return headers;
}

function customHeader(name: string, value: HeaderText, field: string): CustomHeader {
  if (value === '')
    throw new MailInputError('body', field, 'empty', 'give the header a value or leave it out');
  return { name, value, field: written(name, value, field) } as CustomHeader;
}

function written(name: string, value: HeaderText, field: string): string {
  const kind = name.toLowerCase();
  if (kind === 'references' || kind === 'in-reply-to')
    return messageIdHeader(name, messageIdsOf(value, field));
  if (kind.startsWith('x-')) return machineHeader(name, value);
  if (!PRINTABLE_ASCII.test(value)) {
    throw new MailInputError('body', field, 'not_ascii', 'must be printable ASCII');
  }
  return asciiHeader(name, value);
}

function messageIdsOf(value: string, field: string): MessageId[] {
  return value.split(/ +/).map((token) => {
    const id = token.startsWith('<') && token.endsWith('>') ? readMessageId(token.slice(1, -1)) : null;
    if (id !== null) return id;
    throw new MailInputError(
      'body',
      field,
      'message_id',
      'give message ids in angle brackets, separated by spaces',
    );
  });
}
