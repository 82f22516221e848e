/**
 * A reader of MIME for reports: for bounces as they are, not as RFC 2045 wants them. Never throws on content;
 * over a limit it reads less.
 */
import { type HeaderFields, parseHeaderFields, parseParameters } from './header-fields.ts';
import { MAX_BOUNDARY_MARKS, MAX_DEPTH, MAX_PARTS, MAX_REPORT_BYTES } from './limits.ts';

/**
 * A message or part. `body` is as transferred, one character an octet, LF line ends; leaves have no `parts`.
 */
export interface MimePart {
  readonly headers: HeaderFields;
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: string;
  readonly parts: readonly MimePart[];
}

interface Budget {
  parts: number;
}

/** Reads a whole message. */
export function parseMime(bytes: Uint8Array): MimePart {
  const { buffer, byteOffset } = bytes;
  const length = Math.min(bytes.length, MAX_REPORT_BYTES);
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1').replace(/\r\n?/g, '\n');
  // An mbox line in front of the header is not part of it.
  return parsePart(text.replace(/^From [^\n]*\n/, ''), 0, { parts: MAX_PARTS });
}

/** All parts, the outermost first, in the order of the message. */
export function* walk(part: MimePart): Generator<MimePart> {
  yield part;
  for (const child of part.parts) yield* walk(child);
}

function parsePart(text: string, depth: number, budget: Budget): MimePart {
  const { head, body } = splitHead(text);
  const headers = parseHeaderFields(head);
  const { main, parameters } = parseParameters(headers.get('content-type') ?? 'text/plain');
  const type = main.includes('/') ? main : 'text/plain';
  let parts: MimePart[] = [];
  if (type.startsWith('multipart/') && depth < MAX_DEPTH) {
    const boundary = parameters.get('boundary') ?? sniffBoundary(body);
    if (boundary !== null && boundary !== '') parts = splitParts(body, boundary, depth, budget);
  }
  return { headers, type, parameters, body, parts };
}

function splitHead(text: string): { head: string; body: string } {
  if (text.startsWith('\n')) return { head: '', body: text.slice(1) };
  const end = text.indexOf('\n\n');
  return end === -1 ? { head: text, body: '' } : { head: text.slice(0, end), body: text.slice(end + 2) };
}

/** The boundary of a multipart whose Content-Type was cut short: its first line that looks like one. */
function sniffBoundary(body: string): string | null {
  return /^--([^\n]{4,70}?)[ \t]*$/m.exec(body.slice(0, 4_000))?.[1] ?? null;
}

function splitParts(body: string, boundary: string, depth: number, budget: Budget): MimePart[] {
  const parts: MimePart[] = [];
  const mark = `--${boundary.trimEnd()}`;
  let start: number | null = null;
  let at = body.indexOf(mark);
  for (let marks = 0; at !== -1 && marks < MAX_BOUNDARY_MARKS && budget.parts > 0; marks += 1) {
    const lineStart = body.lastIndexOf('\n', at) + 1;
    const endOfLine = body.indexOf('\n', at);
    const lineEnd = endOfLine === -1 ? body.length : endOfLine;
    const rest = body.slice(at + mark.length, lineEnd).trimEnd();
    // Some reports indent their boundaries by a blank.
    if (at - lineStart <= 1 && body.slice(lineStart, at).trim() === '' && (rest === '' || rest === '--')) {
      if (start !== null) add(parts, body.slice(start, lineStart), depth, budget);
      start = rest === '--' ? null : lineEnd + 1;
    }
    at = body.indexOf(mark, lineEnd);
  }
  if (start !== null && start < body.length) add(parts, body.slice(start), depth, budget);
  return parts;
}

function add(parts: MimePart[], text: string, depth: number, budget: Budget): void {
  if (budget.parts <= 0) return;
  budget.parts -= 1;
  parts.push(parsePart(text, depth + 1, budget));
}

/**
 * The octets of a leaf with its transfer encoding undone, one character an octet, at most `maxChars` of them.
 */
export function decodedOctets(part: MimePart, maxChars: number): string {
  const encoding = part.headers.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding === 'base64') {
    const source = part.body.slice(0, maxChars * 2).replace(/[^A-Za-z0-9+/]/g, '');
    return Buffer.from(source, 'base64').toString('latin1').slice(0, maxChars);
  }
  if (encoding === 'quoted-printable')
    return unquotePrintable(part.body.slice(0, maxChars * 3)).slice(0, maxChars);
  return part.body.slice(0, maxChars);
}

function unquotePrintable(text: string): string {
  return text
    .replace(/=[ \t]{0,10}\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * The text of a leaf in its charset; unknown ones are read as UTF-8, and where that fails as windows-1252.
 */
export function decodedText(part: MimePart, maxChars: number): string {
  const octets = Buffer.from(decodedOctets(part, maxChars), 'latin1');
  const charset = part.parameters.get('charset') ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: /^utf-?8$/i.test(charset) })
      .decode(octets)
      .replace(/\r\n?/g, '\n');
  } catch {
    return new TextDecoder('windows-1252').decode(octets).replace(/\r\n?/g, '\n');
  }
}
