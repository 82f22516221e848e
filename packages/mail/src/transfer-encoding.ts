import { LINE_WRAP_CHARS } from './limits.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const CAPITAL_F = 0x46;
const HEX = Buffer.from('0123456789ABCDEF');
/** The value of each octet as a hexadecimal digit; -1 for any other. */
const HEX_VALUES = new Int8Array(256).fill(-1);
for (const [value, digit] of HEX.entries()) {
  HEX_VALUES[digit] = value;
  HEX_VALUES[String.fromCharCode(digit).toLowerCase().charCodeAt(0)] = value;
}
const FROM_LINE = Buffer.from('From ');

/** Octets in a line of base64 of 76 characters. RFC 2045 §6.8 */
const BASE64_LINE_BYTES = 57;

/** 1 where an octet stands for itself on any place but the last of a line. RFC 2045 §6.7 (2), (3) */
const LITERAL = new Uint8Array(256);
for (let byte = 0x20; byte < 0x7f; byte++) LITERAL[byte] = byte === EQUALS ? 0 : 1;
LITERAL[TAB] = 1;

/** Text as UTF-8 with LF line ends and one at the end: CRLF and bare CR become LF. */
export function canonicalText(text: string): Uint8Array {
  const bytes = Buffer.from(text.endsWith('\n') || text.endsWith('\r') || text === '' ? text : `${text}\n`);
  return text.includes('\r') ? toLf(bytes) : bytes;
}

/** CRLF and bare CR to LF, in place. */
function toLf(bytes: Uint8Array): Uint8Array {
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === CR && bytes[i + 1] === LF) continue;
    bytes[at++] = byte === CR ? LF : byte;
  }
  return bytes.subarray(0, at);
}

/**
 * Canonical text without white space at line ends and at its own: the form that evidence commits to. May be a
 * view of its argument.
 */
export function trimmedText(text: Uint8Array): Uint8Array {
  const out = endsLinesInBlanks(text) ? withoutBlanksAtLineEnds(text) : text;
  let end = out.length;
  while (end > 0 && (out[end - 1] === LF || isBlank(out[end - 1]))) end--;
  return out.subarray(0, end);
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function endsLinesInBlanks(text: Uint8Array): boolean {
  for (let i = 1; i < text.length; i++) if (text[i] === LF && isBlank(text[i - 1])) return true;
  return false;
}

function withoutBlanksAtLineEnds(text: Uint8Array): Uint8Array {
  const out = new Uint8Array(text.length);
  let at = 0;
  let solid = 0;
  for (const byte of text) {
    if (byte === LF) at = solid;
    out[at++] = byte;
    if (!isBlank(byte)) solid = at;
  }
  return out.subarray(0, at);
}

/**
 * Quoted-printable of canonical text (LF line ends), CRLF, lines of at most 76 characters. No line ends in
 * white space or starts with a dot or `From `, so that no relay has cause to change one. RFC 2045 §6.7, RFC
 * 2049 §3
 */
export function encodeQuotedPrintable(text: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(quotedPrintableBound(text));
  let at = 0;
  let column = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === LF) {
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
      continue;
    }
    const isLast = i + 1 === text.length || text[i + 1] === LF;
    let literal = LITERAL[byte] === 1 && !(isLast && (byte === SPACE || byte === TAB));
    if (column + (literal ? 1 : 3) > (isLast ? LINE_WRAP_CHARS : LINE_WRAP_CHARS - 1)) {
      out[at++] = EQUALS;
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
    }
    if (column === 0 && (byte === DOT || (byte === CAPITAL_F && startsFromLine(text, i)))) literal = false;
    if (literal) {
      out[at++] = byte;
      column += 1;
    } else {
      out[at++] = EQUALS;
      out[at++] = HEX[byte >> 4]!;
      out[at++] = HEX[byte & 15]!;
      column += 3;
    }
  }
  return out.subarray(0, at);
}

function startsFromLine(text: Uint8Array, at: number): boolean {
  for (let i = 1; i < FROM_LINE.length; i++) if (text[at + i] !== FROM_LINE[i]) return false;
  return true;
}

/** Room for every escape, a soft break in each 72 characters and two octets a line end. */
function quotedPrintableBound(text: Uint8Array): number {
  let chars = 0;
  let lines = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === LF) lines++;
    // White space may end a line, a dot or an F may start one: counted as escaped.
    else chars += LITERAL[byte] === 1 && byte > SPACE && byte !== DOT && byte !== CAPITAL_F ? 1 : 3;
  }
  return chars + 2 * lines + 3 * (Math.floor(chars / 72) + 1);
}

/** Base64 in CRLF lines of 76 characters; nothing gives nothing. RFC 2045 §6.8 */
export function encodeBase64Lines(content: Uint8Array): Uint8Array {
  const base64 = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64');
  const lines = Math.ceil(base64.length / LINE_WRAP_CHARS);
  const out = Buffer.allocUnsafe(base64.length + 2 * lines);
  let at = 0;
  for (let start = 0; start < base64.length; start += LINE_WRAP_CHARS) {
    at += out.write(base64.slice(start, start + LINE_WRAP_CHARS), at, 'latin1');
    out[at++] = CR;
    out[at++] = LF;
  }
  return out;
}

/** Octets that encodeBase64Lines will give. */
export function base64LinesSize(contentBytes: number): number {
  return Math.ceil(contentBytes / 3) * 4 + 2 * Math.ceil(contentBytes / BASE64_LINE_BYTES);
}

/**
 * Quoted-printable undone; line ends stay as they are, a `=` that escapes nothing stays too. RFC 2045 §6.7
 */
export function decodeQuotedPrintable(encoded: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(encoded.length);
  let at = 0;
  for (let i = 0; i < encoded.length; i++) {
    const byte = encoded[i]!;
    if (byte === SPACE || byte === TAB) {
      const end = skipBlanks(encoded, i);
      // White space at a line's end was added on the way. RFC 2045 §6.7 (3)
      if (end < encoded.length && encoded[end] !== CR && encoded[end] !== LF) {
        for (; i < end; i++) out[at++] = encoded[i]!;
      }
      i = end - 1;
    } else if (byte !== EQUALS) {
      out[at++] = byte;
    } else {
      const escaped = i + 2 < encoded.length ? hexPair(encoded[i + 1]!, encoded[i + 2]!) : -1;
      const lineEnd = escaped >= 0 ? -1 : softBreakEnd(encoded, i + 1);
      if (escaped >= 0) {
        out[at++] = escaped;
        i += 2;
      } else if (lineEnd >= 0) i = lineEnd - 1;
      else out[at++] = byte;
    }
  }
  return out.subarray(0, at);
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  return at;
}

/** Start of the line after a soft break; -1 if this is no soft break. */
function softBreakEnd(bytes: Uint8Array, from: number): number {
  let at = skipBlanks(bytes, from);
  if (at >= bytes.length) return at;
  if (bytes[at] === CR) at++;
  if (bytes[at] === LF) at++;
  else if (bytes[at - 1] !== CR) return -1;
  return at;
}

/** The octet of two hexadecimal digits in either case; negative for any others. */
function hexPair(high: number, low: number): number {
  return (HEX_VALUES[high]! << 4) | HEX_VALUES[low]!;
}
