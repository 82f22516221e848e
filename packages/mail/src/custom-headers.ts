import { readEncodedWords } from '@acuse/evidence/encoded-words';
import { type AddressItem, mailboxesOf, parseAddressListField } from './address-list.ts';
import { type HeaderText, headerText, type MessageId, readMessageId } from './header-text.ts';
import {
  addressListHeader,
  asciiHeader,
  machineHeader,
  messageIdHeader,
  unstructuredHeader,
} from './header-write.ts';
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
const ALWAYS = /^(?:x-.+|list-.+|references|in-reply-to|auto-submitted|feedback-id)$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

type Form = 'text' | 'ascii' | 'addresses' | 'no';

/**
 * Other fields that go out as given: no receiver trusts them about the sender or the way of the message. An
 * unlisted name is dropped or refused, because an unknown field may claim either.
 */
const HARMLESS: ReadonlyMap<string, Form> = new Map<string, Form>([
  // How urgent, how private, of what kind: mail programs show a mark.
  ...(['importance', 'priority', 'sensitivity', 'precedence', 'content-class'] as const).map(ascii),
  // Informational fields. RFC 5322 §3.6.5
  ...(['organization', 'keywords', 'comments', 'thread-topic'] as const).map((it) => [it, 'text'] as const),
  // How a conversation is put together; in which language an answer is liked; until when it matters.
  ...(['thread-index', 'accept-language', 'reply-by', 'expires', 'expiry-date'] as const).map(ascii),
  // Where a logo and a key are found: receivers check both with the domain. DKIM signs it as it signs all.
  ...(['bimi-selector', 'autocrypt', 'openpgp'] as const).map(ascii),
  // Receipts: mail programs ask first. RFC 8098 §2.1
  ['disposition-notification-to', 'addresses'],
  ['mail-followup-to', 'addresses'],
  ['mail-reply-to', 'addresses'],
  // The message had rather arrive in clear text than not. RFC 8689 §3
  ['tls-required', 'no'],
]);

function ascii(name: string): [string, Form] {
  return [name, 'ascii'];
}

function fits(name: string): boolean {
  return name.length <= CUSTOM_HEADER_NAME_MAX_CHARS && NAME.test(name);
}

/** Fields with which a whole message asks for an acknowledgement: removed, and never sent. */
const REQUEST = /^x-acuse-acknowl/i;

export function isRequestField(name: string): boolean {
  return REQUEST.test(name);
}

/** True if a sender may set this field, in JSON or in a whole message. */
export function isCustomHeaderName(name: string): boolean {
  return fits(name) && !isRequestField(name) && (ALWAYS.test(name.toLowerCase()) || isHarmless(name));
}

/** True for a field that is dropped without refusing the message. */
export function isHarmless(name: string): boolean {
  return HARMLESS.has(name.toLowerCase());
}

/** True for a field of addresses, in which encoded-words belong to names. */
export function holdsAddresses(name: string): boolean {
  return HARMLESS.get(name.toLowerCase()) === 'addresses';
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
      const others = [...HARMLESS.keys()].join(', ');
      throw new MailInputError(
        'body',
        field,
        'header_name',
        `cannot be set: only ${allowed} can, and ${others}`,
      );
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
  const form = HARMLESS.get(kind);
  if (form === 'text') return unstructuredHeader(name, value);
  if (form === 'addresses') return addressListHeader(name, addressesOf(value, field));
  if (form === 'no' && value.toLowerCase() !== 'no') {
    throw new MailInputError('body', field, 'tls_required', 'can only be No (RFC 8689 §3)');
  }
  if (!PRINTABLE_ASCII.test(value)) {
    throw new MailInputError('body', field, 'not_ascii', 'must be printable ASCII');
  }
  return asciiHeader(name, value);
}

/** In ASCII, so that the message needs no SMTPUTF8 for them. */
function addressesOf(value: string, field: string): AddressItem[] {
  const items = parseAddressListField(value, field, readEncodedWords);
  if (mailboxesOf(items).every(({ needsSmtputf8 }) => !needsSmtputf8)) return items;
  throw new MailInputError('body', field, 'not_ascii', 'must have addresses in ASCII');
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
