import { type AddressItem, isGroup } from './address-list.ts';
import { encodedWords } from './encoded-word.ts';
import type { HeaderText, MessageId } from './header-text.ts';
import { MailInputError } from './input-error.ts';
import { LINE_MAX_BYTES, LINE_WRAP_CHARS } from './limits.ts';
import type { Mailbox } from './mailbox.ts';

const NOT_ASCII = /[^\x00-\x7f]/;
/** Words of a phrase that need no quotes. RFC 5322 §3.2.3 */
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** A word or a quoted name beyond this is written in encoded-words, which fold. */
const PHRASE_TOKEN_MAX_CHARS = 60;
/** An address in a name, and what careless readers cut a list at: quotes alone do not keep it together. */
const CUT_MARKS = /[<>,;:]/;
/**
 * Needs no quotes as a parameter: less than RFC 2045 §5.1 grants, for readers trip over `*`, `'` and `%` in a
 * bare value.
 */
const TOKEN = /^[A-Za-z0-9._-]+$/;
/** Text that readers decode where they should not: it looks like an encoded-word or an extended value. */
const MISREAD_WHEN_PLAIN = /=\?|'.*'/;
/** Stands for itself in an extended parameter. RFC 2231 §7, attribute-char less what old readers trip over */
const EXTENDED_LITERAL = /[A-Za-z0-9._-]/;

/**
 * `Name: token token…` with CRLF, folded between tokens to 76 characters; a token too long for that has its
 * own line. Tokens hold no white space at their ends. No white space ends a line. RFC 5322 §2.2.3
 */
export function foldedHeader(name: string, tokens: readonly string[]): string {
  let header = `${name}:`;
  let column = header.length;
  for (const token of tokens) {
    const isFirst = column === name.length + 1;
    // Starting a line does not help a first token that would not fit on it either.
    if (column + 1 + token.length > LINE_WRAP_CHARS && (!isFirst || token.length < LINE_WRAP_CHARS)) {
      header += '\r\n';
      column = 0;
    }
    header += ` ${token}`;
    column += 1 + token.length;
  }
  return `${header}\r\n`;
}

/**
 * Free text: as it is where it folds and reads back the same, in encoded-words where it does not. RFC 5322
 * §2.2.1, RFC 2047 §5 (1)
 */
export function unstructuredHeader(name: string, text: HeaderText): string {
  if (!mustEncode(text)) {
    const tokens = foldable(text);
    if (tokens.every((token) => name.length + 2 + token.length <= LINE_WRAP_CHARS))
      return foldedHeader(name, tokens);
  }
  return foldedHeader(name, encodedWords(text, name.length + 2));
}

/**
 * Free text that programs read: encoded-words only where 7 bits cannot hold it, for programs rarely decode
 * them. Throws MailInputError `too_long` for a run without spaces that no line can hold.
 */
export function machineHeader(name: string, text: HeaderText): string {
  return mustEncode(text) ? foldedHeader(name, encodedWords(text, name.length + 2)) : asciiHeader(name, text);
}

/** ASCII as it is, folded at single spaces. Throws as machineHeader does. */
export function asciiHeader(name: string, text: HeaderText): string {
  const tokens = foldable(text);
  const room = LINE_MAX_BYTES - name.length - 2;
  if (tokens.some((token) => token.length > room)) {
    const fix = `must have a space at least every ${room} characters`;
    throw new MailInputError('body', `headers.${name}`, 'too_long', fix);
  }
  return foldedHeader(name, tokens);
}

/**
 * Text that unfolding or a decoder would change: other bytes than ASCII, the look of an encoded-word, white
 * space at the ends.
 */
function mustEncode(text: string): boolean {
  return NOT_ASCII.test(text) || text.includes('=?') || text.startsWith(' ') || text.endsWith(' ');
}

/**
 * The text cut at its single spaces: several in a row stay inside a token, for a fold there would not come
 * back.
 */
function foldable(text: string): string[] {
  if (!text.includes(' ')) return text === '' ? [] : [text];
  return text.split(/(?<! ) (?! )/);
}

/**
 * One mailbox; raw UTF-8 in the address alone, and only if it needs SMTPUTF8. RFC 5322 §3.4, RFC 6532 §3.2
 */
export function mailboxHeader(name: string, mailbox: Mailbox): string {
  return foldedHeader(name, mailboxTokens(mailbox, name.length + 2));
}

/** An address-list, each mailbox as mailboxHeader writes it; a group as `name: mailbox, …;`. RFC 5322 §3.4 */
export function addressListHeader(name: string, items: readonly AddressItem[]): string {
  const firstColumn = name.length + 2;
  const [only] = items;
  // Nearly every message has these.
  if (items.length === 1 && !isGroup(only!)) return mailboxHeader(name, only!);
  const tokens = items.map((item) => {
    if (!isGroup(item)) return mailboxTokens(item, firstColumn);
    // A space between an encoded-word and what follows it. RFC 2047 §5 (3)
    const head = phrase(item.groupName, firstColumn);
    const opened = head.at(-1)!.endsWith('?=') ? [...head, ':'] : after(head, ':');
    return after([...opened, ...commaed(item.members.map((each) => mailboxTokens(each, firstColumn)))], ';');
  });
  return foldedHeader(name, commaed(tokens));
}

function mailboxTokens({ displayName, address }: Mailbox, firstColumn: number): string[] {
  return displayName === undefined ? [address] : [...phrase(displayName, firstColumn), `<${address}>`];
}

/** All tokens in a row, a comma behind the last one of each list but the last. */
function commaed(lists: readonly string[][]): string[] {
  return lists.flatMap((tokens, at) => (at < lists.length - 1 ? after(tokens, ',') : tokens));
}

function after(tokens: readonly string[], mark: string): string[] {
  return [...tokens.slice(0, -1), `${tokens.at(-1) ?? ''}${mark}`];
}

function phrase(text: HeaderText, firstColumn: number): string[] {
  if (!mustEncode(text) && !(text.includes('@') && CUT_MARKS.test(text))) {
    const tokens = ATOMS.test(text) ? text.split(' ') : [`"${text.replace(/["\\]/g, '\\$&')}"`];
    if (tokens.every((token) => token.length <= PHRASE_TOKEN_MAX_CHARS)) return tokens;
  }
  return encodedWords(text, firstColumn);
}

/** `<id> <id>…`, one a fold. RFC 5322 §3.6.4 */
export function messageIdHeader(name: string, ids: readonly MessageId[]): string {
  return foldedHeader(
    name,
    ids.map((id) => `<${id}>`),
  );
}

/** The second that was written last: messages composed together share theirs. */
let lastSecond = Number.NaN;
let lastDate = '';

/** `Thu, 20 Nov 2025 09:40:00 +0000`; milliseconds are cut. RFC 5322 §3.3 */
export function formatDate(timeMs: number): string {
  const second = Math.floor(timeMs / 1_000);
  if (second !== lastSecond) {
    lastDate = new Date(timeMs).toUTCString().replace('GMT', '+0000');
    lastSecond = second;
  }
  return lastDate;
}

/** `Name: value; key=value…`, each parameter quoted or in RFC 2231 §3 sections as it needs. RFC 2045 §5.1 */
export function parameterHeader(
  name: string,
  value: string,
  parameters: readonly (readonly [key: string, value: HeaderText])[],
): string {
  const sections = parameters.flatMap(([key, text]) => parameterSections(key, text));
  const tokens = [value, ...sections];
  return foldedHeader(
    name,
    tokens.map((token, i) => (i < tokens.length - 1 ? `${token};` : token)),
  );
}

/** Room on a folded line between its space and its semicolon. */
const SECTION_MAX_CHARS = LINE_WRAP_CHARS - 2;

function parameterSections(key: string, text: HeaderText): string[] {
  if (!NOT_ASCII.test(text)) {
    const plain = `${key}=${TOKEN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`}`;
    if (plain.length <= SECTION_MAX_CHARS && !MISREAD_WHEN_PLAIN.test(text)) return [plain];
  }
  return extendedSections(key, text);
}

/**
 * Whole characters only in each section, so that readers which decode them one by one read them right. RFC
 * 2231 §3, §4
 */
function extendedSections(key: string, text: string): string[] {
  const charset = "utf-8''";
  let payload = charset;
  const payloads: string[] = [];
  const room = SECTION_MAX_CHARS - key.length - '*00*='.length;
  for (const char of text) {
    const encoded = encodeExtended(char);
    if (payload.length + encoded.length > room) {
      payloads.push(payload);
      payload = '';
    }
    payload += encoded;
  }
  payloads.push(payload);
  if (payloads.length === 1) return [`${key}*=${payload}`];
  return payloads.map((section, i) => `${key}*${i}*=${section}`);
}

function encodeExtended(char: string): string {
  if (EXTENDED_LITERAL.test(char)) return char;
  let encoded = '';
  for (const byte of Buffer.from(char)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}
