import { type DomainName, readDomainName } from './domain-name.ts';
import { type HeaderText, isDeceptive, isHeaderText } from './header-text.ts';
import { readWhollyEncoded } from './header-words.ts';
import { MailInputError } from './input-error.ts';
import { ADDRESS_MAX_BYTES, DISPLAY_NAME_MAX_BYTES, LOCAL_PART_MAX_BYTES } from './limits.ts';
import {
  type MailboxReason,
  type MailboxSource,
  type PhraseSegment,
  splitMailbox,
  splitPhrase,
} from './mailbox-syntax.ts';

declare const mailboxBrand: unique symbol;

/**
 * One mailbox, normalized: what is compared, written into headers and given to SMTP. Made by the parsers here
 * and nowhere else.
 */
export type Mailbox = {
  readonly [mailboxBrand]: true;
  /** Never empty, NFC, runs of white space made one; never the mailbox's own address. */
  readonly displayName?: HeaderText;
  /** Without quotes or escapes, NFC, case as given. */
  readonly localPart: string;
  readonly domain: DomainName;
  /** `local@domain` as it stands in a command or a header, quoted where it must be. */
  readonly address: string;
  /** The local part is not ASCII: only a peer with SMTPUTF8 can take it. RFC 6531 §3.2 */
  readonly needsSmtputf8: boolean;
};

/** A text that is not exactly one mailbox we would send from or to. */
export class MailboxError extends MailInputError {
  declare readonly reason: MailboxReason;

  constructor(field: string, reason: MailboxReason, message: string) {
    super('address', field, reason, message);
    this.name = 'MailboxError';
  }
}

const PLAIN_ADDRESS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+$/;
/** A dot at the end or two in a row: addresses of docomo and au that people have. Quoted on the wire. */
const LOOSE_DOT_ATOM = /^[^\s"(),:;<>@[\\\].][^\s"(),:;<>@[\\\]]*$/;
const DOT_ATOM = /^[^\s"(),:;<>@[\\\].]+(?:\.[^\s"(),:;<>@[\\\].]+)*$/;
const NOT_ASCII = /[^\x00-\x7f]/;
const UNFIT_FOR_LOCAL_PART = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

/** Characters of input worth a look: a name in encoded-words and an address with every character escaped. */
const SOURCE_MAX_CHARS = 4 * DISPLAY_NAME_MAX_BYTES + 2 * ADDRESS_MAX_BYTES;

/**
 * `addr@domain`, `Name <addr@domain>` or `addr@domain (Name)`, in UTF-8; a name that is nothing but
 * encoded-words is decoded; a comma in the name needs no quotes. Groups, lists, routes, address literals
 * (`@[192.0.2.1]`: no domain to verify, none receives mail today), single-label domains and `@` inside a
 * local part are refused. Throws MailboxError. RFC 5321 §4.1.2, RFC 5322 §3.4, RFC 6531 §3.3, RFC 6532 §3.2
 */
export function parseMailbox(text: string, field = 'address'): Mailbox {
  if (text.length <= ADDRESS_MAX_BYTES && PLAIN_ADDRESS.test(text)) return mailboxOf(text, '', field);
  const source = sourceOf(text, field, { commaInName: true });
  return mailboxOf(
    source.addrSpec,
    readWhollyEncoded(nameOf(source.phrase, (word) => word))
      .normalize('NFC')
      .trim(),
    field,
  );
}

/** A bare address, as suppressions and senders are given. Throws MailboxError. */
export function parseAddress(text: string, field = 'address'): Mailbox {
  if (text.trimEnd().endsWith('>')) {
    throw new MailboxError(field, 'syntax', 'give the address alone, without a name or angle brackets');
  }
  return parseMailbox(text, field);
}

/**
 * The one mailbox of an unfolded header field; `decodeWords` turns the encoded-words of an unquoted run into
 * text. A comma outside quotes makes a list, which is refused. Throws MailboxError. RFC 5322 §3.4, RFC 2047
 * §5
 */
export function parseMailboxField(
  value: string,
  field: string,
  decodeWords: (run: string) => string,
): Mailbox {
  const source = sourceOf(value.replaceAll('\t', ' '), field, { commaInName: false });
  return mailboxOf(source.addrSpec, nameOf(source.phrase, decodeWords), field);
}

/** The name of a group, as a display name is read. Throws MailboxError. RFC 5322 §3.4 */
export function parseGroupName(
  value: string,
  field: string,
  decodeWords: (run: string) => string,
): HeaderText {
  const name = isHeaderText(value) ? splitPhrase(value.trim()) : null;
  const read = name === null ? null : displayNameOf(nameOf(name, decodeWords), '', field);
  if (read === null) throw new MailboxError(field, 'group', 'a group must have a name before its colon');
  return read;
}

/**
 * The same for two spellings of one mailbox: the domain as A-labels, the local part without regard to case.
 * Nearly every receiver folds it, and suppressing one spelling must stop them all.
 */
export function compareKey(mailbox: Mailbox): string {
  // By way of upper case, so that letters with two lower forms (ſ, ς, ß) meet.
  const folded = mailbox.localPart.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
  return `${folded}@${mailbox.domain}`;
}

function sourceOf(text: string, field: string, options: { commaInName: boolean }): MailboxSource {
  if (text.length > SOURCE_MAX_CHARS)
    throw new MailboxError(field, 'too_long', 'shorten the address or its name');
  if (!isHeaderText(text)) {
    throw new MailboxError(field, 'control', 'remove line breaks and other control characters');
  }
  const trimmed = text.trim();
  if (trimmed === '') throw new MailboxError(field, 'empty', 'give an address');
  const source = splitMailbox(trimmed, options);
  if ('reason' in source) throw new MailboxError(field, source.reason, source.fix);
  return source;
}

function nameOf(phrase: readonly PhraseSegment[], decodeWords: (run: string) => string): string {
  let name = '';
  // White space folds between words; in quotes, and encoded, it is the name's own. Encoded-words have no
  // place in quotes, and stand there: every mail program reads them. RFC 2047 §5 (3)
  for (const { quoted, text } of phrase) {
    name += decodeWords(quoted ? text.replaceAll('\t', ' ') : text.replace(/[ \t]+/g, ' '));
  }
  return name.trim().normalize('NFC');
}

function mailboxOf(addrSpec: string, name: string, field: string): Mailbox {
  const at = addrSpec.lastIndexOf('@');
  if (at <= 0) throw new MailboxError(field, 'syntax', 'write the address as local@domain');
  const localPart = localPartOf(addrSpec.slice(0, at), field);
  const domain = domainOf(addrSpec.slice(at + 1), field);
  const address = `${wireLocalPart(localPart)}@${domain}`;
  if (Buffer.byteLength(address) > ADDRESS_MAX_BYTES) {
    throw new MailboxError(field, 'too_long', `the address exceeds ${ADDRESS_MAX_BYTES} octets`);
  }
  const needsSmtputf8 = NOT_ASCII.test(localPart);
  const bare = { localPart, domain, address, needsSmtputf8 };
  const displayName = displayNameOf(name, address, field);
  return (displayName === null ? bare : { displayName, ...bare }) as Mailbox;
}

function localPartOf(source: string, field: string): string {
  const quoted = source.startsWith('"');
  const localPart = (quoted ? source.slice(1, -1).replace(/\\(.)/gu, '$1') : source).normalize('NFC');
  if (Buffer.byteLength(localPart) > LOCAL_PART_MAX_BYTES) {
    throw new MailboxError(field, 'too_long', `the part before the @ exceeds ${LOCAL_PART_MAX_BYTES} octets`);
  }
  if (UNFIT_FOR_LOCAL_PART.test(localPart)) {
    throw new MailboxError(
      field,
      'invisible',
      'remove invisible and unassigned characters from the part before the @',
    );
  }
  if (localPart.includes('=?') && localPart.includes('?=')) {
    throw new MailboxError(field, 'encoded_word', 'write the address without encoded-words');
  }
  // An @ inside quotes is legal and is what parsers disagree about: RFC 5321 §4.1.2 against every address
  // splitter.
  if (localPart === '' || localPart.includes('@') || (!quoted && !LOOSE_DOT_ATOM.test(localPart))) {
    throw new MailboxError(field, 'local_part', 'the part before the @ is malformed');
  }
  return localPart;
}

function domainOf(source: string, field: string): DomainName {
  if (source.startsWith('[')) {
    throw new MailboxError(field, 'address_literal', 'use a domain instead of an IP address');
  }
  const domain = readDomainName(source);
  if (domain === null) throw new MailboxError(field, 'domain', 'the part after the @ is not a domain name');
  return domain;
}

function wireLocalPart(localPart: string): string {
  return DOT_ATOM.test(localPart) ? localPart : `"${localPart.replace(/["\\]/g, '\\$&')}"`;
}

/** Null for no name; a name that is the address again says nothing. */
function displayNameOf(name: string, address: string, field: string): HeaderText | null {
  if (name === '' || name.toLowerCase() === address.toLowerCase()) return null;
  if (Buffer.byteLength(name) > DISPLAY_NAME_MAX_BYTES) {
    throw new MailboxError(
      field,
      'too_long',
      `the name exceeds ${DISPLAY_NAME_MAX_BYTES} bytes of UTF-8: shorten it`,
    );
  }
  if (!isHeaderText(name))
    throw new MailboxError(field, 'control', 'remove control characters from the name');
  if (isDeceptive(name)) {
    throw new MailboxError(
      field,
      'invisible',
      'remove invisible and direction-changing characters from the name',
    );
  }
  return name;
}
