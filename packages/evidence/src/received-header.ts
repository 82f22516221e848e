/**
 * Fields that a received message may have in addition: those in which relays and mailboxes record the route.
 * Any other could show a sender, subject or date that nobody sealed.
 */
import { type RawHeader, relaxedField } from './relaxed.ts';

/**
 * RFC 5321 §4.4, RFC 6376 §3.5, RFC 7208 §9.1, RFC 8601 §2.2, RFC 8617 §4.1, and what mail servers write
 * without an X-. In lower case.
 */
const TRACE: ReadonlySet<string> = new Set([
  'arc-authentication-results',
  'arc-message-signature',
  'arc-seal',
  'authentication-results',
  'authentication-results-original',
  'delivered-to',
  'delivery-date',
  'dkim-filter',
  'dkim-signature',
  'dmarc-filter',
  'domainkey-signature',
  'envelope-to',
  'old-authentication-results',
  'original-authentication-results',
  'received',
  'received-spf',
  'return-path',
]);

/** Fields with an X- that mail programs show as the sender's words or picture, or act upon. In lower case. */
const SHOWN_X: ReadonlySet<string> = new Set([
  'x-confirm-reading-to',
  'x-face',
  'x-image-url',
  'x-message-flag',
  'x-msmail-priority',
  'x-original-from',
  'x-originalfrom',
  'x-priority',
  'x-reply-to',
  'x-sender',
  'x-unsent',
]);

/**
 * RFC 5322 §2.1.1: programs cut or wrap longer lines, and the text behind the cut may read as a field of its
 * own.
 */
const MAX_LINE_BYTES = 998;

const COLON = 0x3a;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SP = 0x20;
const DEL = 0x7f;

/** May be in a received message though it was not sealed. */
export function isTrace(field: RawHeader): boolean {
  const name = field.name.toLowerCase();
  return isPlain(field) && (TRACE.has(name) || (name.startsWith('x-') && !SHOWN_X.has(name)));
}

/**
 * A field that every program reads as this one: printable ASCII up to a colon without white space before it,
 * no control characters, no folded line that is empty (to some programs the end of the header) or too long.
 */
export function isPlain({ name, raw }: RawHeader): boolean {
  if (!/^[!-9;-~]+$/.test(name) || raw[name.length] !== COLON) return false;
  let lineStart = 0;
  let blank = true;
  for (let at = 0; at <= raw.length; at++) {
    const byte = raw[at];
    if (byte === undefined || (byte === CR && raw[at + 1] === LF)) {
      if (blank || at - lineStart > MAX_LINE_BYTES) return false;
      at++;
      lineStart = at + 1;
      blank = true;
    } else if (byte !== SP && byte !== TAB) {
      if (byte < SP || byte === DEL) return false;
      blank = false;
    }
  }
  return true;
}

/**
 * Fields of a received header that are neither in the sealed one, as often and in DKIM's relaxed form, nor
 * trace. `covered`: names, in lower case, that are compared elsewhere; of these only the spelling is checked.
 */
export function strangeFields(
  received: readonly RawHeader[],
  sealed: readonly RawHeader[],
  covered: ReadonlySet<string>,
): RawHeader[] {
  const left = new Map<string, number>();
  for (const field of sealed) {
    const key = keyOf(field);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  return received.filter((field) => {
    if (isTrace(field)) return false;
    const plain = isPlain(field);
    if (plain && covered.has(field.name.toLowerCase())) return false;
    const key = keyOf(field);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0 || !plain;
  });
}

function keyOf(field: RawHeader): string {
  return new TextDecoder('latin1').decode(relaxedField(field));
}
