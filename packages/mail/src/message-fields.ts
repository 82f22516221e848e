import { readEncodedWords } from '@acuse/evidence/encoded-words';
import { addressParser } from 'postal-mime';
import { type AddressItem, mailboxesOf, parseAddressListField } from './address-list.ts';
import {
  type CustomHeader,
  createCustomHeaders,
  holdsAddresses,
  isCustomHeaderName,
  isHarmless,
  isRequestField,
} from './custom-headers.ts';
import { honestFrom } from './from-name.ts';
import {
  type HeaderText,
  type MessageId,
  readMessageId,
  subjectText,
  withoutInvisible,
} from './header-text.ts';
import { type ReadWords, wordsOf } from './header-words.ts';
import { formatDate } from './header-write.ts';
import { MailInputError } from './input-error.ts';
import { CUSTOM_HEADER_VALUE_MAX_BYTES, CUSTOM_HEADERS_MAX } from './limits.ts';
import { type Mailbox, MailboxError, parseMailboxField } from './mailbox.ts';
import type { HeaderField } from './mime-tree.ts';
import type { Warnings } from './warning.ts';

/** The fields of a submitted message that we act on. */
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
   * The Date as written, rewritten in the form of RFC 5322 §3.3 if it has another; undefined if it cannot be
   * read.
   */
  submittedDate: HeaderText | undefined;
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

/**
 * Fields whose job is done or done anew, so that nobody misses them: those read here or with the body, and
 * the trace of the message's route. All others are custom or dropped.
 */
const QUIET_FIELDS = new Set([
  ...SINGLE_FIELDS.filter((key) => key !== 'sender'),
  ...['content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...['content-description', 'content-language', 'content-location', 'content-duration'],
  ...['bcc', 'idempotency-key', 'received', 'return-path'],
]);

/**
 * One From mailbox, no Resent-*, a Sender only if it is the From; To and Cc as written, Bcc is dropped.
 * Throws MailInputError about `address` or `body`. RFC 5322 §3.6
 */
export function readMessageFields(fields: readonly HeaderField[], warnings: Warnings): MessageFields {
  const { single, twice } = singleFields(fields);
  const subject = subjectText(decoded(single.get('subject') ?? '', 'subject', warnings));
  const headers = customHeaders(fields, warnings);
  // Errors in the body are reported before errors in an address.
  if (twice !== undefined) throw new MailInputError('address', twice, 'duplicate_header', TWICE);
  const headerFrom = mailboxOf(single, 'from', warnings) ?? missing('from');
  refuseOtherOriginators(fields, single, headerFrom, warnings);
  warnOfDropped(fields, new Set(headers.map(({ name }) => name.toLowerCase())), warnings);
  return {
    headerFrom: honestFrom(headerFrom, warnings),
    headerTo: addressList(single, 'to', warnings),
    headerCc: addressList(single, 'cc', warnings),
    replyTo: addressList(single, 'reply-to', warnings),
    subject,
    headers,
    submittedMessageId: readMessageId((single.get('message-id') ?? '').replace(/^<|>$/g, '')),
    submittedDateMs: readDate(single.get('date')),
    submittedDate: dateText(single.get('date')),
  };
}

/** Longest name of a dropped field in a warning; ours. */
const DROPPED_NAME_MAX_CHARS = 60;

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
function mailboxOf(
  single: ReadonlyMap<string, string>,
  key: string,
  warnings: Warnings,
): Mailbox | undefined {
  const value = single.get(key) ?? '';
  if (value === '') return undefined;
  const mailbox = parseMailboxField(value, key, nameWords(key, warnings));
  requireSameReading(value, key, [mailbox]);
  return mailbox;
}

function addressList(single: ReadonlyMap<string, string>, key: string, warnings: Warnings): AddressItem[] {
  return readAddressList(single.get(key) ?? '', key, nameWords(key, warnings));
}

/** Names lose what would make them look like others: address books copy direction marks along. */
function nameWords(key: string, warnings: Warnings): ReadWords {
  const words = wordsOf(key, warnings);
  return (run) => {
    const given = words(run);
    const kept = withoutInvisible(given);
    const message = `A name in ${key} was sent without its invisible characters: remove them.`;
    if (kept !== given) warnings.add({ code: 'name_changed', field: key, message });
    return kept;
  };
}

/** As two readers agree on it. Throws MailInputError. RFC 5322 §3.4 */
export function readAddressList(
  value: string,
  key: string,
  decodeWords: ReadWords = readEncodedWords,
): AddressItem[] {
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
    return (
      parseMailboxField(`x@${seen.slice(at + 1)}`, 'address', readEncodedWords).domain === mailbox.domain
    );
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
  warnings: Warnings,
): void {
  const resent = fields.find((field) => field.key.startsWith('resent-'));
  if (resent !== undefined)
    throw new MailInputError(
      'address',
      'from',
      'resent',
      `remove ${resent.name}: a message is sent, not resent`,
    );
  const sender = mailboxOf(single, 'sender', warnings);
  if (sender !== undefined && sender.address !== headerFrom.address) {
    throw new MailInputError('address', 'sender', 'sender', 'Sender must be absent or match From');
  }
}

/** Encoded-words decoded, tabs of folds as spaces. */
function decoded(value: string, field: string, warnings: Warnings): string {
  return wordsOf(field, warnings)(value.replaceAll('\t', ' '));
}

/** The first of each name that a sender may set. Those that are harmless are kept as far as there is room. */
function customHeaders(fields: readonly HeaderField[], warnings: Warnings): CustomHeader[] {
  const seen = new Set<string>();
  const given: HeaderField[] = [];
  for (const field of fields) {
    if (!isCustomHeaderName(field.name) || seen.has(field.key)) continue;
    seen.add(field.key);
    given.push(field);
  }
  const asked = given.filter(({ name }) => !isHarmless(name));
  const headers = createCustomHeaders(asked.flatMap((field) => customText(field, warnings)));
  for (const field of given) {
    if (isHarmless(field.name) && headers.length < CUSTOM_HEADERS_MAX)
      headers.push(...harmless(field, warnings));
  }
  return headers;
}

function customText({ name, key, value }: HeaderField, warnings: Warnings): [string, string][] {
  const text = textOf();
  return text === '' ? [] : [[name, text]];

  function textOf(): string {
    if (key === 'references' || key === 'in-reply-to') return messageIds(value);
    return holdsAddresses(name) ? value.replaceAll('\t', ' ') : decoded(value, name, warnings).trim();
  }
}

/** None for a value that cannot be written: then it is dropped, as an unknown field is. */
function harmless(field: HeaderField, warnings: Warnings): CustomHeader[] {
  try {
    return createCustomHeaders(customText(field, warnings));
  } catch (error) {
    if (error instanceof MailInputError) return [];
    throw error;
  }
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

function warnOfDropped(fields: readonly HeaderField[], kept: ReadonlySet<string>, warnings: Warnings): void {
  for (const { name, key, value } of fields) {
    if (QUIET_FIELDS.has(key) || kept.has(key) || value === '' || isRequestField(name)) continue;
    const shown = name.slice(0, DROPPED_NAME_MAX_CHARS);
    const why =
      key === 'sender' ? 'it says the same as From' : 'only fields that docs/submitted-messages.md lists are';
    const message = `The header ${shown} was not sent: ${why}.`;
    warnings.add({ code: 'header_dropped', field: shown, message });
  }
}
