import { westernText } from '@acuse/evidence/mime-header';
import { MailInputError } from './input-error.ts';
import {
  BOUNDARY_LOOKALIKES_MAX,
  MIME_DEPTH_MAX,
  MIME_PARTS_MAX,
  PARSED_HEADERS_MAX,
  PARSED_HEADERS_MAX_BYTES,
} from './limits.ts';
import { readStructuredField, type StructuredField } from './structured-field.ts';
import { createWarnings, type Warnings } from './warning.ts';

/**
 * One field as every reader must take it: a name, a colon right after it, an unfolded value without white
 * space around it.
 */
export type HeaderField = { name: string; key: string; value: string };

export type MimeEntity = {
  fields: readonly HeaderField[];
  type: StructuredField;
  /** A view of the message, still encoded; line ends as submitted. */
  body: Uint8Array;
  /** Empty for a leaf; an attached message is one. */
  children: readonly MimeEntity[];
  /** Text before the first delimiter of a multipart and after the closing one; else empty. RFC 2046 §5.1.1 */
  preamble: Uint8Array;
  epilogue: Uint8Array;
};

/** The rest of the budget for one message, over all its parts. */
type Budget = {
  fields: number;
  headerBytes: number;
  entities: number;
  lookalikes: number;
  warnings: Warnings;
};

type Range = { start: number; end: number };

const NOTHING = new Uint8Array(0);
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

const FIELD = /^([\x21-\x39\x3b-\x7e]+):(.*)$/s;
const BLANK_LINE = /^[ \t]+$/;

/** Twice in one header, these mean one thing to one reader and another to the next. RFC 2045 §3 */
const SINGLE_CONTENT_FIELDS = [
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'content-id',
];

/** Characters of a boundary; RFC 2046 §5.1.1 has 70, careless mailers more. */
const BOUNDARY_MAX_CHARS = 200;

const headerDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The tree of a message with CRLF or LF line ends, its bodies untouched. The work grows with the size and the
 * depth, never faster. Throws MailInputError about `body` for anything over the limits or that two readers
 * could take two ways.
 */
export function readMimeTree(raw: Uint8Array, warnings: Warnings = createWarnings()): MimeEntity {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const budget: Budget = {
    fields: PARSED_HEADERS_MAX,
    headerBytes: PARSED_HEADERS_MAX_BYTES,
    entities: MIME_PARTS_MAX,
    lookalikes: BOUNDARY_LOOKALIKES_MAX,
    warnings,
  };
  return readEntity(message, { start: 0, end: message.length }, 'text/plain', 0, budget);
}

export function refuse(reason: string, fix: string): MailInputError {
  return new MailInputError('body', 'message', reason, fix);
}

/** The value of a field that stands there at most once. */
export function fieldValue(entity: MimeEntity, key: string): string | undefined {
  return entity.fields.find((field) => field.key === key)?.value;
}

function readEntity(
  message: Buffer,
  range: Range,
  defaultType: string,
  depth: number,
  budget: Budget,
): MimeEntity {
  if (budget.entities-- === 0)
    throw refuse('too_many_parts', `the message must have at most ${MIME_PARTS_MAX} MIME parts`);
  const bodyStart = headerEnd(message, range, budget);
  const fields = readFields(message.subarray(range.start, bodyStart), budget);
  for (const key of SINGLE_CONTENT_FIELDS) {
    if (fields.filter((field) => field.key === key).length > 1)
      throw refuse('duplicate_header', `a part has two ${key} fields`);
  }
  const type = contentType(fields, defaultType);
  const body = { start: bodyStart, end: range.end };
  const entity = {
    fields,
    type,
    body: message.subarray(body.start, body.end),
    children: [],
    preamble: NOTHING,
    epilogue: NOTHING,
  };
  if (!type.value.startsWith('multipart/')) return entity;
  if (depth === MIME_DEPTH_MAX)
    throw refuse('too_deep', `MIME parts must nest at most ${MIME_DEPTH_MAX} deep`);
  const childType = type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const { ranges, preamble, epilogue } = childRanges(message, body, boundaryOf(type), budget);
  return {
    ...entity,
    preamble: message.subarray(preamble.start, preamble.end),
    epilogue: message.subarray(epilogue.start, epilogue.end),
    children: ranges.map((child) => readEntity(message, child, childType, depth + 1, budget)),
  };
}

/** Where the body starts: after the first empty line, or at the end. */
function headerEnd(message: Buffer, range: Range, budget: Budget): number {
  let at = range.start;
  while (at < range.end) {
    const newline = message.indexOf(LF, at);
    const next = newline < 0 || newline >= range.end ? range.end : newline + 1;
    budget.headerBytes -= next - at;
    if (budget.headerBytes < 0)
      throw refuse('header_too_large', `the header exceeds ${PARSED_HEADERS_MAX_BYTES} bytes`);
    const isEmpty =
      message[at] === LF || (message[at] === CR && at + 1 < range.end && message[at + 1] === LF);
    if (isEmpty) return next;
    at = next;
  }
  return range.end;
}

function readFields(header: Uint8Array, budget: Budget): HeaderField[] {
  const fields: HeaderField[] = [];
  for (const line of foldedLines(decodeHeader(header, budget.warnings))) {
    const match = FIELD.exec(line);
    if (match === null) throw refuse('header_syntax', 'a header line is not in `Name: value` form');
    if (budget.fields-- === 0)
      throw refuse('too_many_headers', `the message must have at most ${PARSED_HEADERS_MAX} header fields`);
    const name = match[1]!;
    fields.push({ name, key: name.toLowerCase(), value: trimBlanks(match[2]!) });
  }
  return fields;
}

/** UTF-8, else what old programs write: they name no charset in a header. RFC 6532 §3 */
function decodeHeader(header: Uint8Array, warnings: Warnings): string {
  let text: string;
  try {
    text = headerDecoder.decode(header);
  } catch {
    text = westernText(Buffer.from(header).toString('latin1'));
    const fix = 'it was read as Windows-1252: write UTF-8, or encoded-words (RFC 2047)';
    warnings.add({ code: 'charset_guessed', field: 'header', message: `A header is not UTF-8; ${fix}.` });
  }
  if (text.replaceAll('\r\n', '').includes('\r') || text.includes('\0')) {
    throw refuse('header_syntax', 'the header contains a bare CR or a NUL');
  }
  return text;
}

/** Each field with its continuation lines joined to it. RFC 5322 §2.2.3 */
function foldedLines(text: string): string[] {
  const folded: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    // To some readers a line of blanks ends the header, and what follows is body. RFC 5322 §4.2 has it as
    // obsolete.
    if (BLANK_LINE.test(line)) throw refuse('header_syntax', 'a header line contains only white space');
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const current = folded.at(-1);
      if (current === undefined)
        throw refuse('header_syntax', 'the first header line is a continuation line');
      current.push(line);
    } else {
      folded.push([line]);
    }
  }
  return folded.map((lines) => lines.join(''));
}

function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

function contentType(fields: readonly HeaderField[], defaultType: string): StructuredField {
  const value = fields.find((field) => field.key === 'content-type')?.value;
  if (value === undefined || value === '') return { value: defaultType, parameters: new Map() };
  const type = readStructuredField(value);
  if (type === null || !/^[^/\s]+\/[^/\s]+$/.test(type.value))
    throw refuse('content_type', 'the Content-Type is malformed');
  return type;
}

function boundaryOf(type: StructuredField): string {
  const boundary = type.parameters.get('boundary') ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_MAX_CHARS)
    throw refuse('boundary', `a multipart must have a boundary of 1 to ${BOUNDARY_MAX_CHARS} characters`);
  return boundary;
}

type Multipart = { ranges: Range[]; preamble: Range; epilogue: Range };

/**
 * The parts between the delimiter lines; without a closing one the last part runs to the end. RFC 2046 §5.1.1
 */
function childRanges(message: Buffer, body: Range, boundary: string, budget: Budget): Multipart {
  const delimiter = Buffer.from(`\n--${boundary}`);
  // The line end before the body may be that of the first delimiter.
  const offset = Math.max(body.start - 1, 0);
  const view = message.subarray(offset, body.end);
  const ranges: Range[] = [];
  const preamble = { start: body.start, end: body.start };
  let partStart = -1;
  for (let at = view.indexOf(delimiter); at >= 0; at = view.indexOf(delimiter, at + 1)) {
    const line = readDelimiterLine(view, at + delimiter.length);
    if (line === null) {
      if (budget.lookalikes-- === 0) throw refuse('boundary', 'too many lines look like a boundary');
      continue;
    }
    if (partStart < 0) preamble.end = Math.max(body.start, offset + withoutCr(view, at));
    else ranges.push({ start: offset + partStart, end: offset + Math.max(partStart, withoutCr(view, at)) });
    if (ranges.length > budget.entities)
      throw refuse('too_many_parts', `the message must have at most ${MIME_PARTS_MAX} MIME parts`);
    if (line.closes)
      return { ranges, preamble, epilogue: { start: Math.min(offset + line.next, body.end), end: body.end } };
    partStart = line.next;
  }
  if (partStart < 0) throw refuse('boundary', 'a multipart has no parts');
  ranges.push({ start: offset + partStart, end: body.end });
  return { ranges, preamble, epilogue: { start: body.end, end: body.end } };
}

/** Null if more than `--` and blanks stand between the boundary and the line's end. */
function readDelimiterLine(view: Buffer, from: number): { closes: boolean; next: number } | null {
  const closes = view[from] === DASH && view[from + 1] === DASH;
  let at = closes ? from + 2 : from;
  while (view[at] === 0x20 || view[at] === 0x09) at++;
  if (view[at] === CR) at++;
  if (at < view.length && view[at] !== LF) return null;
  return { closes, next: Math.min(at + 1, view.length) };
}

function withoutCr(view: Buffer, lineFeed: number): number {
  return view[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
}
