import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from './limits.ts';

/**
 * Header fields in order, names in lower case, values unfolded. Lenient: lines that are not fields are
 * skipped. RFC 5322 §2.2
 */
export class HeaderFields {
  readonly #fields: readonly (readonly [string, string])[];

  constructor(fields: readonly (readonly [string, string])[]) {
    this.#fields = fields;
  }

  /** The first value, or null. */
  get(name: string): string | null {
    return this.#fields.find(([key]) => key === name)?.[1] ?? null;
  }

  all(name: string): string[] {
    return this.#fields.filter(([key]) => key === name).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  entries(): readonly (readonly [string, string])[] {
    return this.#fields;
  }
}

const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s;

/** Reads a block of fields (LF line ends). */
export function parseHeaderFields(block: string): HeaderFields {
  const fields: [string, string][] = [];
  for (const line of block.slice(0, MAX_HEADER_BYTES).split('\n')) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) last[1] += ` ${line.trim()}`;
      continue;
    }
    const match = FIELD.exec(line);
    if (match !== null && fields.length < MAX_HEADER_FIELDS) {
      fields.push([match[1]!.toLowerCase(), match[2]!.trim()]);
    }
  }
  return new HeaderFields(fields);
}

/** A structured value `token; name=value; …`: both in lower case but the values. RFC 2045 §5.1, leniently */
export function parseParameters(value: string): { main: string; parameters: Map<string, string> } {
  const main = /^\s*([^\s;]*)/.exec(value)?.[1]?.toLowerCase() ?? '';
  const parameters = new Map<string, string>();
  const pattern = /;\s*([^\s=;"]{1,60})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g;
  for (const match of value.slice(0, 4_000).matchAll(pattern)) {
    const text = match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? '';
    const name = match[1]!.toLowerCase();
    if (!parameters.has(name)) parameters.set(name, text);
  }
  return { main, parameters };
}

const ENCODED_WORD =
  /=\?([A-Za-z0-9_-]{1,40})(?:\*[A-Za-z-]{1,20})?\?([BbQq])\?([^?\s]{0,500})\?=(?:\s+(?==\?))?/g;

/**
 * A field's text for people: encoded words and raw UTF-8 read, what cannot be read left as it is. RFC 2047 §6
 */
export function fieldText(value: string): string {
  const decoded = value
    .slice(0, MAX_FIELD_TEXT_CHARS)
    .replace(ENCODED_WORD, (whole, charset: string, how: string, text: string) => {
      const octets =
        how.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : Buffer.from(unescapeQ(text), 'latin1');
      return decodeOctets(octets, charset) ?? whole;
    });
  // The octets of the header came one character each.
  return /[\x80-\xff]/.test(decoded) && !/[^\x00-\xff]/.test(decoded)
    ? (decodeOctets(Buffer.from(decoded, 'latin1'), 'utf-8') ?? decoded)
    : decoded;
}

const MAX_FIELD_TEXT_CHARS = 4_000;

function unescapeQ(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeOctets(octets: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(octets);
  } catch {
    return null;
  }
}
