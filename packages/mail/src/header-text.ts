import type { DomainName } from './domain-name.ts';
import { MailInputError } from './input-error.ts';
import { SUBJECT_MAX_BYTES } from './limits.ts';

declare const headerTextBrand: unique symbol;
declare const bodyTextBrand: unique symbol;
declare const messageIdBrand: unique symbol;

/**
 * Text that can stand in a header: well-formed Unicode without controls (C0, C1, DEL), line separators or
 * U+FEFF.
 */
export type HeaderText = string & { readonly [headerTextBrand]: true };

/** Text that can be a body: well-formed Unicode without NUL; any line ends. */
export type BodyText = string & { readonly [bodyTextBrand]: true };

/** The msg-id of RFC 5322 §3.6.4 without its angle brackets, in ASCII. */
export type MessageId = string & { readonly [messageIdBrand]: true };

/** The byte order mark too: decoders drop it where a word starts, so it would not come back. */
const UNFIT_FOR_HEADER = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u;

/**
 * Direction overrides (`exe.gpj` shown as `jpg.exe`), zero-width and filler characters, private ones; ZWJ,
 * ZWNJ and variation selectors are needed by scripts and emoji.
 */
const DECEPTIVE =
  /(?!\u200c|\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Co}]/u;

const LONE_SURROGATE = /\p{Cs}/u;
const MSG_ID = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9!#$%&'*+/=?^_`{|}~.:[\]-]+$/;

/** Room for the brackets on a line of 998. RFC 5322 §2.1.1 */
const MESSAGE_ID_MAX_CHARS = 990;

export function isHeaderText(value: string): value is HeaderText {
  return !UNFIT_FOR_HEADER.test(value);
}

/** True if a name holds characters that make it look like another. UTS #36 §2.10 */
export function isDeceptive(name: string): boolean {
  return DECEPTIVE.test(name);
}

/** Without characters that make a name look like another. */
export function withoutInvisible(name: string): string {
  return name.replace(new RegExp(DECEPTIVE, 'gu'), '');
}

/** Nor what no header holds. */
export function withoutUnfit(name: string): HeaderText {
  return withoutInvisible(name).replace(new RegExp(UNFIT_FOR_HEADER, 'gu'), '') as HeaderText;
}

/**
 * Proves that a value carries no CR, LF, NUL or other control. Throws MailInputError `control` | `too_long`.
 */
export function headerText(value: string, field: string, maxBytes: number): HeaderText {
  if (!isHeaderText(value)) {
    throw new MailInputError('body', field, 'control', 'remove line breaks and other control characters');
  }
  if (value.length > maxBytes || Buffer.byteLength(value) > maxBytes) {
    throw new MailInputError('body', field, 'too_long', `exceeds ${maxBytes} bytes of UTF-8: shorten it`);
  }
  return value;
}

/** A subject as given, at most 998 bytes of UTF-8; may be empty. Throws MailInputError. */
export function subjectText(value: string): HeaderText {
  return headerText(value, 'subject', SUBJECT_MAX_BYTES);
}

/**
 * Proves that a body can be encoded as it is. Throws MailInputError `control` (NUL) | `not_unicode` (half a
 * surrogate pair).
 */
export function bodyText(value: string, field: 'text' | 'html'): BodyText {
  if (value.includes('\0')) {
    throw new MailInputError('body', field, 'control', 'remove the NUL characters');
  }
  if (LONE_SURROGATE.test(value)) {
    throw new MailInputError('body', field, 'not_unicode', 'remove the unpaired surrogates');
  }
  return value as BodyText;
}

/** A msg-id of ours; `unique` must be a dot-atom, such as a UUID. RFC 5322 §3.6.4 */
export function messageIdOf(unique: string, domain: DomainName): MessageId {
  const id = readMessageId(`${unique}@${domain}`);
  if (id === null) throw new TypeError(`no message id can be made of ${JSON.stringify(unique)}`);
  return id;
}

/** A msg-id without its angle brackets, or null. */
export function readMessageId(text: string): MessageId | null {
  return text.length <= MESSAGE_ID_MAX_CHARS && MSG_ID.test(text) ? (text as MessageId) : null;
}
