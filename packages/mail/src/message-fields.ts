import { addressParser, decodeWords } from 'postal-mime';
import { type AddressItem, mailboxesOf, parseAddressListField } from './address-list.ts';
import { type CustomHeader, createCustomHeaders, isCustomHeaderName } from './custom-headers.ts';
import { type HeaderText, type MessageId, readMessageId, subjectText } from './header-text.ts';
import { formatDate } from './header-write.ts';
import { MailInputError } from './input-error.ts';
import { CUSTOM_HEADER_VALUE_MAX_BYTES } from './limits.ts';
import { type Mailbox, MailboxError, parseMailboxField } from './mailbox.ts';
import type { HeaderField } from './mime-tree.ts';

/** What the header of a submitted message says to us. */
export type MessageFields = {
  headerFrom: Mailbox;
  /** As written; empty where there is no To or no Cc. */
  headerTo: readonly AddressItem[];
  headerCc: readonly AddressItem[];
  replyTo: readonly AddressItem[];
  subject: HeaderText;
  headers: CustomHeader[];
  submittedMessageId: MessageId | null;
  submittedDateMs: number | null;
  /**
   * The Date as it stands there, or in the form of RFC 5322 §3.3 where it has another; undefined for none
   * that can be read.
   */
  submittedDate: HeaderText | undefined;
  /** Names of fields that go no further, as written, each once. */
  droppedHeaders: string[];
};

/** At most one each, RFC 5322 §3.6; a second one is how a sender is forged past a check of the first. */
const SINGLE_FIELDS = [
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
];

/** Fields that are read here or by the MIME reader; every other one is custom or dropped. */
const READ_FIELDS = new Set([...SINGLE_FIELDS, 'content-type', 'content-transfer-encoding']);

const REPLACEMENT = '\ufffd';

/**
 * One From mailbox, no Resent-*, a Sender only if it is the From; To and Cc as written, Bcc is dropped.
 * Throws MailInputError about `address` or `body`. RFC 5322 §3.6
 */
export function readMessageFields(fields: readonly HeaderField[]): MessageFields {
  const { single, twice } = singleFields(fields);
  const custom = customFields(fields);
  const subject = subjectText(decoded(single.get('subject') ?? '', 'subject'));
  const headers = createCustomHeaders(custom);
  // What is wrong with the body comes before what is wrong with an address.
  if (twice !== undefined) throw new MailInputError('address', twice, 'duplicate_header', TWICE);
  const headerFrom = mailboxOf(single, 'from') ?? missing('from');
  refuseOtherOriginators(fields, single, headerFrom);
  const kept = new Set(custom.map(([name]) => name.toLowerCase()));
  return {
    headerFrom,
    headerTo: addressList(single, 'to'),
    headerCc: addressList(single, 'cc'),
    replyTo: addressList(single, 'reply-to'),
    subject,
    headers,
    submittedMessageId: readMessageId((single.get('message-id') ?? '').replace(/^<|>$/g, '')),
    submittedDateMs: readDate(single.get('date')),
    submittedDate: dateText(single.get('date')),
    droppedHeaders: droppedNames(fields, kept),
  };
}

export const TWICE = 'the message must have this header only once';
const ADDRESS_FIELDS = new Set(['from', 'sender', 'to', 'cc']);

/** `twice`: the first address field that stands twice; any other that does is refused here. */
function singleFields(fields: readonly HeaderField[]): {
  single: Map<string, string>;
  twice: string | undefined;
} {
  const single = new Map<string, string>();
  let twice: string | undefined;
  for (const { key, value } of fields) {
    if (!SINGLE_FIELDS.includes(key)) continue;
    if (!single.has(key)) single.set(key, value);
    else if (ADDRESS_FIELDS.has(key)) twice ??= key;
    else throw new MailInputError('body', key, 'duplicate_header', TWICE);
  }
  return { single, twice };
}

function missing(field: string): never {
  throw new MailboxError(field, 'empty', 'give exactly one mailbox');
}

/** Undefined for a field that is absent or empty. */
function mailboxOf(single: ReadonlyMap<string, string>, key: string): Mailbox | undefined {
  const value = single.get(key) ?? '';
  if (value === '') return undefined;
  const mailbox = parseMailboxField(value, key, decodeWords);
  requireSameReading(value, key, [mailbox]);
  return mailbox;
}

function addressList(single: ReadonlyMap<string, string>, key: string): AddressItem[] {
  return readAddressList(single.get(key) ?? '', key);
}

/** As two readers agree on it. Throws MailboxError. RFC 5322 §3.4 */
export function readAddressList(value: string, key: string): AddressItem[] {
  const items = parseAddressListField(value, key, decodeWords);
  if (items.length > 0) requireSameReading(value, key, mailboxesOf(items));
  return items;
}

/** Another parser must find the same addresses, and no other: what two read differently can be forged. */
function requireSameReading(value: string, key: string, mailboxes: readonly Mailbox[]): void {
  const seen = addressParser(value, { flatten: true });
  const same =
    seen.length === mailboxes.length &&
    seen.every(({ address }, at) => address !== undefined && isSameAddress(address, mailboxes[at]!));
  if (!same) throw new MailboxError(key, 'syntax', 'write local@domain or Name <local@domain>');
}

function isSameAddress(seen: string, mailbox: Mailbox): boolean {
  const at = seen.lastIndexOf('@');
  const unquoted = seen
    .slice(0, at)
    .replace(/^"(.*)"$/s, '$1')
    .replace(/\\(.)/gs, '$1');
  if (unquoted.normalize('NFC') !== mailbox.localPart) return false;
  try {
    return parseMailboxField(`x@${seen.slice(at + 1)}`, 'address', decodeWords).domain === mailbox.domain;
  } catch {
    return false;
  }
}

/**
 * Fields that name another author than From, which mail programs show or verify instead. RFC 5322 §3.6.2,
 * §3.6.6
 */
function refuseOtherOriginators(
  fields: readonly HeaderField[],
  single: ReadonlyMap<string, string>,
  headerFrom: Mailbox,
): void {
  const resent = fields.find((field) => field.key.startsWith('resent-'));
  if (resent !== undefined)
    throw new MailInputError(
      'address',
      'from',
      'resent',
      `remove ${resent.name}: a message is sent, not resent`,
    );
  const sender = mailboxOf(single, 'sender');
  if (sender !== undefined && sender.address !== headerFrom.address) {
    throw new MailInputError('address', 'sender', 'sender', 'Sender must be absent or match From');
  }
}

/** Encoded-words decoded, tabs of folds as spaces; text that its charset cannot have meant is refused. */
function decoded(value: string, field: string): string {
  const text = decodeWords(value.replaceAll('\t', ' '));
  if (text.includes(REPLACEMENT) && !value.includes(REPLACEMENT)) {
    throw new MailInputError('body', field, 'text_encoding', 'an encoded-word is not valid in its charset');
  }
  return text;
}

/** The first of each name that a sender may set. */
function customFields(fields: readonly HeaderField[]): [string, string][] {
  const custom = new Map<string, [string, string]>();
  for (const { name, key, value } of fields) {
    if (!isCustomHeaderName(name) || custom.has(key)) continue;
    const text =
      key === 'references' || key === 'in-reply-to' ? messageIds(value) : decoded(value, name).trim();
    if (text !== '') custom.set(key, [name, text]);
  }
  return [...custom.values()];
}

/**
 * The ids that are well-formed; where they are too many, the first and the latest, which is what threads are
 * built from. RFC 5322 §3.6.4
 */
function messageIds(value: string): string {
  const found = value.match(/<[^<>\s]+>/g) ?? [];
  const ids = found.filter((id) => readMessageId(id.slice(1, -1)) !== null);
  let room = CUSTOM_HEADER_VALUE_MAX_BYTES - (ids[0]?.length ?? 0);
  let from = ids.length;
  while (from > 1 && room > ids[from - 1]!.length) room -= ids[--from]!.length + 1;
  return [...ids.slice(0, 1), ...ids.slice(from)].join(' ');
}

function readDate(value: string | undefined): number | null {
  const timeMs = Date.parse(value ?? '');
  return Number.isNaN(timeMs) ? null : timeMs;
}

const DATE_TIME =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UT)(?: \([A-Za-z ]{1,40}\))?$/;

/** RFC 5322 §3.3 */
function dateText(value: string | undefined): HeaderText | undefined {
  const timeMs = readDate(value);
  if (timeMs === null || value === undefined) return undefined;
  return DATE_TIME.test(value) ? (value as HeaderText) : (formatDate(timeMs) as HeaderText);
}

function droppedNames(fields: readonly HeaderField[], kept: ReadonlySet<string>): string[] {
  const dropped = fields.filter(({ key }) => !READ_FIELDS.has(key) && !kept.has(key));
  return [...new Map(dropped.map(({ key, name }) => [key, name])).values()];
}
