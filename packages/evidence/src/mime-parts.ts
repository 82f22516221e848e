/** A message's leaf parts, from untrusted bytes. RFC 2045, RFC 2046 */
import { utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import {
  decodeBase64,
  decodeQuotedPrintable,
  fieldText,
  type ParameterizedValue,
  parseParameters,
  textDecoder,
} from './mime-header.ts';
import { type RawHeader, type SplitMessage, splitMessage } from './relaxed.ts';

export const MAX_ENTITIES = 128;
export const MAX_NESTING = 20;

/**
 * `mediaType` in lower case, without parameters. `content`: the decoded bytes; text without a file name is in
 * UTF-8 with LF and has no white space at line ends nor at its own end.
 */
export type Part = { mediaType: string; filename: string | null; content: Uint8Array };

/** A leaf as in the message: views of it, its transfer encoding not undone. */
export type Leaf = { headers: readonly RawHeader[]; type: ParameterizedValue; body: Uint8Array };

/** `dashLines`: null until a multipart asks for them. */
type Walk = { message: Uint8Array; dashLines: Int32Array | null; leaves: Leaf[]; entities: number };

/**
 * In document order; an attached message (message/rfc822) is one leaf. The message has CRLF line ends. Throws
 * EvidenceError `parts` over MAX_ENTITIES or MAX_NESTING, `message` for too many header fields. `split`: the
 * message as splitMessage gives it, for a caller that has it.
 */
export function leafParts(message: Uint8Array, split: SplitMessage = splitMessage(message)): Part[] {
  return leavesOf(message, split).map(readLeaf);
}

/** The same leaves, undecoded. */
export function leavesOf(message: Uint8Array, split: SplitMessage): Leaf[] {
  const walk: Walk = { message, dashLines: null, leaves: [], entities: 0 };
  collect(walk, split, message.length, 0);
  return walk.leaves;
}

function collect(walk: Walk, { headers, body }: SplitMessage, end: number, depth: number): void {
  if (++walk.entities > MAX_ENTITIES) throw new EvidenceError('parts', `more than ${MAX_ENTITIES} parts`);
  const type = contentType(headers);
  const boundary = type.value.startsWith('multipart/') ? type.parameters.get('boundary') : undefined;
  if (!boundary) {
    walk.leaves.push({ headers, type, body });
    return;
  }
  if (depth === MAX_NESTING) throw new EvidenceError('parts', `nested deeper than ${MAX_NESTING}`);
  for (const child of splitMultipart(walk, end - body.length, end, utf8(boundary)))
    collect(walk, splitMessage(walk.message.subarray(child.start, child.end)), child.end, depth + 1);
}

/** Unreadable or absent is text/plain. RFC 2045 §5.2 */
function contentType(headers: readonly RawHeader[]): ParameterizedValue {
  const parsed = parametersOf(field(headers, 'content-type') ?? 'text/plain');
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(parsed.value)
    ? parsed
    : { value: 'text/plain', parameters: new Map() };
}

/** The text of the first field of this name (lower case). */
export function field(headers: readonly RawHeader[], name: string): string | undefined {
  const header = headers.find(
    (candidate) => candidate.name.length === name.length && candidate.name.toLowerCase() === name,
  );
  return header === undefined ? undefined : fieldText(header.raw);
}

/** Most fields of most messages are one of a few texts: those are read once. */
const knownFields = new Map<string, ParameterizedValue>();
const KNOWN_FIELDS = 256;
/** Characters; with a boundary or a file name in it a field is hardly seen twice. */
const KNOWN_FIELD_MAX = 48;

function parametersOf(text: string): ParameterizedValue {
  if (text.length > KNOWN_FIELD_MAX) return parseParameters(text);
  const known = knownFields.get(text);
  if (known !== undefined) return known;
  const parsed = parseParameters(text);
  if (knownFields.size === KNOWN_FIELDS) knownFields.clear();
  knownFields.set(text, parsed);
  return parsed;
}

/** Its Content-Disposition; the value is empty for a leaf that has none. */
export function dispositionOf({ headers }: Leaf): ParameterizedValue {
  return parametersOf(field(headers, 'content-disposition') ?? '');
}

export function readLeaf(leaf: Leaf): Part {
  const { headers, type, body } = leaf;
  const disposition = dispositionOf(leaf);
  const filename = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? null;
  const bytes = decodeBody(body, field(headers, 'content-transfer-encoding'));
  const isText = type.value.startsWith('text/') && filename === null;
  const content = isText ? normalizeText(bytes, type.parameters.get('charset')) : bytes;
  return { mediaType: type.value, filename: filename === null ? null : wellFormed(filename), content };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function decodeBody(body: Uint8Array, encoding = ''): Uint8Array {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return decodeBase64(body);
    case 'quoted-printable':
      return decodeQuotedPrintable(body);
    default:
      return body;
  }
}

/** Charsets whose bytes are UTF-8 already. */
const AS_UTF8 = new Set(['', 'utf-8', 'utf8', 'us-ascii', 'ascii']);

/** An unknown charset leaves the bytes as they are. */
function normalizeText(bytes: Uint8Array, charset = ''): Uint8Array {
  const decoder = AS_UTF8.has(charset.toLowerCase()) ? undefined : textDecoder(charset);
  return trimLines(decoder === undefined ? bytes : utf8(decoder.decode(bytes)));
}

/** LF for CRLF and CR, no space or tab before one, nothing of the kind at the end. */
function trimLines(text: Uint8Array): Uint8Array {
  const out = new Uint8Array(text.length);
  let at = 0;
  let solid = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === 0x0d || byte === 0x0a) {
      if (byte === 0x0d && text[i + 1] === 0x0a) i++;
      // Back over the white space of this line, not over the line ends before it.
      while (at > solid && out[at - 1] !== 0x0a) at--;
      out[at++] = 0x0a;
    } else {
      out[at++] = byte;
      if (byte !== 0x20 && byte !== 0x09) solid = at;
    }
  }
  return out.subarray(0, solid);
}

/** Start of each line that begins with two hyphens: found once, because every multipart searches them. */
function dashLinesOf(message: Uint8Array): Int32Array {
  const isDashLine = (i: number) =>
    message[i] === 0x2d && message[i + 1] === 0x2d && (i === 0 || message[i - 1] === 0x0a);
  let count = 0;
  for (let i = 0; i < message.length; i++) if (isDashLine(i)) count++;
  const lines = new Int32Array(count);
  let at = 0;
  for (let i = 0; at < count; i++) if (isDashLine(i)) lines[at++] = i;
  return lines;
}

/**
 * The parts between the delimiter lines; without a closing one the last part runs to the end. RFC 2046 §5.1.1
 */
function splitMultipart(
  walk: Walk,
  start: number,
  end: number,
  boundary: Uint8Array,
): { start: number; end: number }[] {
  const { message } = walk;
  walk.dashLines ??= dashLinesOf(message);
  const { dashLines } = walk;
  const parts: { start: number; end: number }[] = [];
  let partStart = -1;
  for (let i = firstAtLeast(dashLines, start); i < dashLines.length && dashLines[i]! < end; i++) {
    const line = dashLines[i]!;
    if (!isDelimiter(message, line + 2, end, boundary)) continue;
    if (partStart >= 0) parts.push({ start: partStart, end: Math.max(partStart, line - 2) });
    if (parts.length >= MAX_ENTITIES) throw new EvidenceError('parts', `more than ${MAX_ENTITIES} parts`);
    const rest = line + 2 + boundary.length;
    if (message[rest] === 0x2d && message[rest + 1] === 0x2d) return parts;
    const lineEnd = message.indexOf(0x0a, rest);
    partStart = lineEnd < 0 ? end : Math.min(end, lineEnd + 1);
  }
  if (partStart >= 0) parts.push({ start: partStart, end });
  return parts;
}

function firstAtLeast(sorted: Int32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The boundary, `--` or not, and white space to the end of the line. */
function isDelimiter(message: Uint8Array, from: number, end: number, boundary: Uint8Array): boolean {
  if (from + boundary.length > end) return false;
  for (let i = 0; i < boundary.length; i++) if (message[from + i] !== boundary[i]) return false;
  let at = from + boundary.length;
  if (message[at] === 0x2d && message[at + 1] === 0x2d) at += 2;
  while (message[at] === 0x20 || message[at] === 0x09) at++;
  return at >= end || message[at] === 0x0d || message[at] === 0x0a;
}
