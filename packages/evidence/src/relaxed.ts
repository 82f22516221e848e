/**
 * DKIM's relaxed canonicalization (RFC 6376 §3.4.2, §3.4.4), over bytes: the signer and the L1 commitments
 * share it.
 */
import { decodeAscii } from './bytes.ts';
import { EvidenceError } from './errors.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SP = 0x20;
const COLON = 0x3a;

/**
 * Fields; mail that travels carries some tens. A limit, for a body-less message of nothing but fields costs
 * memory.
 */
export const MAX_HEADER_FIELDS = 2000;

/** One header field as in the message. */
export type RawHeader = {
  /** As written, without the colon or white space before it; empty if the line has no colon. */
  name: string;
  /** The whole field, folds included, without its last CRLF. */
  raw: Uint8Array;
};

/**
 * The body with runs of white space made one space, none at line ends, no empty lines at the end and a CRLF
 * after the last line. Only CRLF ends a line. An empty body stays empty. May return its argument. RFC 6376
 * §3.4.4
 */
export function relaxedBody(body: Uint8Array): Uint8Array {
  if (isRelaxedBody(body)) return body;
  // Grows by at most the final CRLF.
  const out = new Uint8Array(body.length + 2);
  let at = 0;
  let lineEnds = 0;
  let space = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (byte === SP || byte === TAB) {
      space = true;
    } else if (byte === CR && body[i + 1] === LF) {
      lineEnds++;
      space = false;
      i++;
    } else {
      for (; lineEnds > 0; lineEnds--) {
        out[at++] = CR;
        out[at++] = LF;
      }
      if (space) out[at++] = SP;
      space = false;
      out[at++] = byte;
    }
  }
  if (at === 0) return out.subarray(0, 0);
  out[at++] = CR;
  out[at++] = LF;
  return out.subarray(0, at);
}

/** The body without empty lines at its end, and with a CRLF there. RFC 6376 §3.4.3 */
export function simpleBody(body: Uint8Array): Uint8Array {
  let end = body.length;
  while (end >= 2 && body[end - 1] === LF && body[end - 2] === CR) end -= 2;
  const out = new Uint8Array(end + 2);
  out.set(body.subarray(0, end));
  out.set([CR, LF], end);
  return out;
}

/** True if relaxedBody would change nothing, as for most of what we compose: no copy then. */
function isRelaxedBody(body: Uint8Array): boolean {
  const size = body.length;
  if (size === 0) return true;
  if (size < 3 || body[size - 1] !== LF || body[size - 2] !== CR) return false;
  if (body[size - 3] === LF && body[size - 4] === CR) return false;
  for (let i = 0; i < size; i++) {
    const byte = body[i]!;
    if (byte > SP) continue;
    if (byte === TAB) return false;
    if (byte === SP) {
      const next = body[i + 1]!;
      if (next === SP || next === TAB || (next === CR && body[i + 2] === LF)) return false;
    }
  }
  return true;
}

/**
 * `name:value` in relaxed form, without a line end; the value may be folded and end in CRLF. RFC 6376 §3.4.2
 */
export function relaxedHeader(name: string, value: string): string {
  return `${withoutBlanksBehind(name).toLowerCase()}:${relaxedValue(value)}`;
}

function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(0, end);
}

function relaxedValue(value: string): string {
  const unfolded = value.includes('\r\n') ? value.replaceAll('\r\n', '') : value;
  const single =
    unfolded.includes('\t') || unfolded.includes('  ') ? unfolded.replace(/[ \t]+/g, ' ') : unfolded;
  const start = single.startsWith(' ') ? 1 : 0;
  const end = single.endsWith(' ') && single.length > start ? single.length - 1 : single.length;
  return start === 0 && end === single.length ? single : single.slice(start, end);
}

/** The same over the bytes of a field in a message, with its CRLF; a line without a colon is all name. */
export function relaxedField(header: RawHeader): Uint8Array {
  const out = new Uint8Array(header.raw.length + 2);
  return out.subarray(0, writeRelaxed(header.raw, out, 0));
}

/** Returns where it ends in `out`, which needs two bytes more than the field has. */
function writeRelaxed(raw: Uint8Array, out: Uint8Array, start: number): number {
  const colon = raw.indexOf(COLON);
  let at = squeeze(raw, 0, colon < 0 ? raw.length : colon, out, start);
  for (let i = start; i < at; i++) if (out[i]! >= 0x41 && out[i]! <= 0x5a) out[i]! += 0x20;
  if (colon >= 0) {
    out[at++] = COLON;
    at = squeeze(raw, colon + 1, raw.length, out, at);
  }
  out[at++] = CR;
  out[at++] = LF;
  return at;
}

/**
 * Copies from..to unfolded, trimmed and with runs of white space made one space; returns the end in `out`.
 */
function squeeze(raw: Uint8Array, from: number, to: number, out: Uint8Array, start: number): number {
  let at = start;
  let space = false;
  for (let i = from; i < to; i++) {
    const byte = raw[i]!;
    if (byte === SP || byte === TAB) {
      space = at > start;
    } else if (byte === CR && raw[i + 1] === LF) {
      i++;
    } else {
      if (space) out[at++] = SP;
      space = false;
      out[at++] = byte;
    }
  }
  return at;
}

/**
 * The fields with one of these names, in the order of `names` and then of the message, relaxed and joined.
 */
export function relaxedHeaders(headers: readonly RawHeader[], names: readonly string[]): Uint8Array {
  const places = placesOf(names);
  const wanted: Uint8Array[] = [];
  const placeOf: number[] = [];
  let size = 0;
  for (const { name, raw } of headers) {
    const place = places.get(name) ?? places.get(name.toLowerCase());
    if (place === undefined) continue;
    wanted.push(raw);
    placeOf.push(place);
    size += raw.length + 2;
  }
  const out = new Uint8Array(size);
  let at = 0;
  // Searches all fields for each name: for a message's few fields this costs less than sorting them.
  for (let place = 0; place < names.length; place++) {
    for (let i = 0; i < wanted.length; i++) {
      if (placeOf[i] === place) at = writeRelaxed(wanted[i]!, out, at);
    }
  }
  return out.subarray(0, at);
}

/** Every message is asked for the same few lists of names. */
const placesByNames = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** Where a name stands in the list, by its spelling there and in lower case. */
function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const known = placesByNames.get(names);
  if (known !== undefined) return known;
  const places = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    for (const spelling of [name, name.toLowerCase()]) if (!places.has(spelling)) places.set(spelling, place);
  }
  placesByNames.set(names, places);
  return places;
}

export type SplitMessage = { headers: RawHeader[]; body: Uint8Array };

/**
 * Header fields and body (a view, after the first empty line) of a message with CRLF line ends.
 * Throws EvidenceError `message` over MAX_HEADER_FIELDS. RFC 5322 §2.1
 */
export function splitMessage(message: Uint8Array): SplitMessage {
  const headers: RawHeader[] = [];
  let start = 0;
  while (start < message.length) {
    let end = lineEnd(message, start);
    if (end === start) return { headers, body: message.subarray(start + 2) };
    while (isWhiteSpace(message[end + 2])) end = lineEnd(message, end + 2);
    if (headers.length === MAX_HEADER_FIELDS)
      throw new EvidenceError('message', `more than ${MAX_HEADER_FIELDS} header fields`);
    headers.push(rawHeader(message.subarray(start, end)));
    start = end + 2;
  }
  return { headers, body: message.subarray(message.length) };
}

function rawHeader(raw: Uint8Array): RawHeader {
  const colon = raw.indexOf(COLON);
  let end = Math.max(colon, 0);
  while (end > 0 && isWhiteSpace(raw[end - 1])) end--;
  return { name: nameOf(raw, end), raw };
}

/** Most fields of most messages: their names are compared, and not decoded each time. */
const FREQUENT_NAMES = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Reply-To',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Content-Disposition',
  'Service-Evidence',
];

/** The name that the first `size` bytes of a field are. */
function nameOf(raw: Uint8Array, size: number): string {
  for (const name of FREQUENT_NAMES) if (name.length === size && startsWith(raw, name)) return name;
  return decodeAscii(raw.subarray(0, size));
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[i] !== ascii.charCodeAt(i)) return false;
  return true;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === SP || byte === TAB;
}

/** Where the next CRLF at or after `from` starts, or the end. */
function lineEnd(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(CR, from);
  while (at >= 0 && bytes[at + 1] !== LF) at = bytes.indexOf(CR, at + 1);
  return at < 0 ? bytes.length : at;
}

/** Every line end (CRLF, bare CR, bare LF) as CRLF; returns its argument if there is nothing to change. */
export function toCrlf(message: Uint8Array): Uint8Array {
  let bare = 0;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i]!;
    if (byte === CR && message[i + 1] === LF) i++;
    else if (byte === CR || byte === LF) bare++;
  }
  if (bare === 0) return message;
  const out = new Uint8Array(message.length + bare);
  let at = 0;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i]!;
    if (byte !== CR && byte !== LF) {
      out[at++] = byte;
      continue;
    }
    if (byte === CR && message[i + 1] === LF) i++;
    out[at++] = CR;
    out[at++] = LF;
  }
  return out;
}
