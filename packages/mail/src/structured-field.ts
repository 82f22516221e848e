/** A field body of RFC 2045 §5.1: a value in lower case and its parameters by lower-case name, decoded. */
export type StructuredField = { value: string; parameters: ReadonlyMap<string, string> };

/** Parameters of one field; ours. */
const PARAMETERS_MAX = 100;

/** Characters of one field; ours, far over what a type and a file name take. */
const FIELD_MAX_CHARS = 8192;

/** A backslash in these is a path's, as Windows programs write it, unless it stands before `"` or another. */
const FILE_NAMES = new Set(['name', 'filename']);

const NAME = /^[a-z0-9!#$%&'*+.^_`|{}~-]+$/;
const SECTION = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/;

/**
 * Reads `value; name=value…` with comments, quoted strings and RFC 2231 §3 sections; an unquoted value may
 * hold spaces, as careless mailers write it. Null for what readers would take differently: an open quote or
 * comment, a name twice, a section missing. Null beyond the limits, too.
 */
export function readStructuredField(text: string): StructuredField | null {
  if (text.length > FIELD_MAX_CHARS) return null;
  const pieces = splitPieces(text);
  if (pieces === null || pieces.length > PARAMETERS_MAX) return null;
  const raw = new Map<string, string>();
  for (const piece of pieces.slice(1)) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (!NAME.test(name) || raw.has(name)) return null;
    const value = unquote(piece.slice(equals + 1).trim(), FILE_NAMES.has(name) ? /\\(["\\])/g : /\\(.)/gsu);
    if (value === null) return null;
    raw.set(name, value);
  }
  const parameters = joinSections(raw);
  return parameters === null ? null : { value: pieces[0]!.toLowerCase(), parameters };
}

/** Cuts at the semicolons outside quotes and comments, comments left out, quotes left in. */
function splitPieces(text: string): string[] | null {
  const pieces: string[] = [];
  let piece = '';
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\' && (quoted || depth > 0)) {
      at++;
      if (depth === 0) piece += char + (text[at] ?? '');
    } else if (quoted || depth > 0) {
      if (quoted) piece += char;
      if (quoted && char === '"') quoted = false;
      else if (!quoted && char === '(') depth++;
      else if (!quoted && char === ')') depth--;
    } else if (char === '(' && opensComment(piece)) {
      depth = 1;
    } else if (char === ';') {
      pieces.push(piece.trim());
      piece = '';
    } else {
      if (char === '"') quoted = true;
      piece += char;
    }
  }
  pieces.push(piece.trim());
  return depth > 0 || quoted ? null : pieces;
}

/** A parenthesis in the middle of an unquoted value (`filename=Invoice(1).pdf`) is content. */
function opensComment(piece: string): boolean {
  return (
    piece === '' || piece.endsWith(' ') || piece.endsWith('\t') || piece.endsWith('"') || !piece.includes('=')
  );
}

/** `quotedPair`: with what it stands for as its first group. */
function unquote(value: string, quotedPair: RegExp): string | null {
  if (!value.startsWith('"')) return value.includes('"') ? null : value;
  const match = /^"((?:[^"\\]|\\.)*)"$/su.exec(value);
  return match === null ? null : match[1]!.replace(quotedPair, '$1');
}

type Section = { index: number; extended: boolean; value: string };

/**
 * Sections of one name in order, each character set applied; an extended form wins over a plain one. RFC 2231
 * §3, §4, RFC 6266 §4.3
 */
function joinSections(raw: ReadonlyMap<string, string>): Map<string, string> | null {
  const plain = new Map<string, string>();
  const sections = new Map<string, Section[]>();
  for (const [name, value] of raw) {
    const match = SECTION.exec(name);
    if (match === null) {
      plain.set(name, value);
      continue;
    }
    const [, key, index, extended] = match;
    const list = sections.get(key!) ?? [];
    list.push({ index: Number(index ?? 0), extended: index === undefined || extended === '*', value });
    sections.set(key!, list);
  }
  for (const [name, list] of sections) {
    list.sort((a, b) => a.index - b.index);
    if (list.some((section, i) => section.index !== i)) return null;
    const value = joinList(list);
    // Bytes outside their character set name nothing: the plain form, if there is one, stays; else what can
    // be read of them.
    if (value !== null) plain.set(name, value);
    else if (!plain.has(name)) plain.set(name, joinList(list, false) ?? '');
  }
  return plain;
}

function joinList(list: readonly Section[], fatal = true): string | null {
  let charset = 'utf-8';
  const chunks: Buffer[] = [];
  for (const [i, section] of list.entries()) {
    let value = section.value;
    const prefix = i === 0 && section.extended ? /^([^']*)'[^']*'/.exec(value) : null;
    if (prefix !== null) {
      charset = prefix[1] || charset;
      value = value.slice(prefix[0].length);
    }
    chunks.push(section.extended ? percentDecode(value) : Buffer.from(value));
  }
  return decodeAs(charset, Buffer.concat(chunks), fatal);
}

function percentDecode(value: string): Buffer {
  const parts = value.split(/%([0-9A-Fa-f]{2})/);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'hex'))));
}

function decodeAs(charset: string, bytes: Uint8Array, fatal: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal }).decode(bytes);
  } catch {
    return null;
  }
}
