/**
 * Values of MIME header fields, read leniently: what a mail program would show, and never an error. RFC 2045
 * §5, RFC 2047, RFC 2231
 */
import { base64Value, decodeAscii, decodeUtf8 } from './bytes.ts';

/** Characters of one field that are read; the rest is cut off. */
const MAX_FIELD_CHARS = 8192;

export type ParameterizedValue = { value: string; parameters: ReadonlyMap<string, string> };

/** Unfolded text of the field behind its colon: UTF-8 if it is, Latin-1 if not. */
export function fieldText(raw: Uint8Array): string {
  const colon = raw.indexOf(0x3a);
  const bytes = raw.subarray(colon + 1, colon + 1 + MAX_FIELD_CHARS);
  return (decodeUtf8(bytes) ?? decodeAscii(bytes)).replaceAll('\r\n', '').trim();
}

/**
 * `value; name=value; …`: the value and the names in lower case, parameters decoded, the first of a name
 * winning.
 */
export function parseParameters(text: string): ParameterizedValue {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"?|\([^()]*\)|[;=]|[^\s;="()]+/g) ?? [];
  const words = tokens.filter((token) => !token.startsWith('('));
  const valueEnd = words.indexOf(';');
  const value = words.slice(0, valueEnd < 0 ? undefined : valueEnd).join('');
  const raw = new Map<string, string>();
  for (let i = 0; i + 2 < words.length; i++) {
    if (words[i] !== ';' || words[i + 2] !== '=') continue;
    const name = words[i + 1]!.toLowerCase();
    const end = words.indexOf(';', i + 3);
    const content = words.slice(i + 3, end < 0 ? undefined : end);
    if (!raw.has(name)) raw.set(name, content.map(unquote).join(''));
  }
  return { value: value.toLowerCase(), parameters: decodeParameters(raw) };
}

function unquote(word: string): string {
  return word.startsWith('"') ? word.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : word;
}

/** Joins `name*0`, `name*1*`, … and decodes `name*`. RFC 2231 §3, §4 */
function decodeParameters(raw: ReadonlyMap<string, string>): Map<string, string> {
  const decoded = new Map<string, string>();
  const names = new Set([...raw.keys()].map((name) => name.split('*', 1)[0]!));
  for (const name of names) {
    const extended = raw.get(`${name}*`);
    const plain = raw.get(name);
    if (extended !== undefined) decoded.set(name, decodeExtended(extended));
    else if (raw.has(`${name}*0`) || raw.has(`${name}*0*`)) decoded.set(name, joinContinuations(name, raw));
    else if (plain !== undefined) decoded.set(name, decodeNameWords(plain));
  }
  return decoded;
}

function joinContinuations(name: string, raw: ReadonlyMap<string, string>): string {
  let charset = '';
  const bytes: number[] = [];
  for (let i = 0; ; i++) {
    const plain = raw.get(`${name}*${i}`);
    const extended = raw.get(`${name}*${i}*`);
    if (extended !== undefined) {
      const parts = i === 0 ? splitExtended(extended) : { charset, text: extended };
      charset = parts.charset;
      bytes.push(...percentDecode(parts.text));
    } else if (plain !== undefined) bytes.push(...new TextEncoder().encode(plain));
    else break;
  }
  return decodeCharset(Uint8Array.from(bytes), charset || 'utf-8');
}

function decodeExtended(value: string): string {
  const { charset, text } = splitExtended(value);
  return decodeCharset(Uint8Array.from(percentDecode(text)), charset);
}

function splitExtended(value: string): { charset: string; text: string } {
  const match = /^([^']*)'[^']*'([\s\S]*)$/.exec(value);
  return match === null ? { charset: 'utf-8', text: value } : { charset: match[1]!, text: match[2]! };
}

function percentDecode(text: string): number[] {
  const bytes: number[] = [];
  for (const [piece] of text.matchAll(/%[0-9A-Fa-f]{2}|[\s\S]/gu)) {
    if (piece.length === 3 && piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else bytes.push(...new TextEncoder().encode(piece));
  }
  return bytes;
}

/**
 * A file name in `=?charset?B?…?=` and `=?charset?Q?…?=`, each word by itself, for hashes rest on it: Q as
 * quoted-printable, white space between two words not shown. encoded-words.ts decodes for people.
 */
function decodeNameWords(text: string): string {
  if (!text.includes('=?')) return text;
  return text
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(
      /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/g,
      (_, charset: string, kind: string, body: string) => {
        const bytes =
          kind.toUpperCase() === 'B'
            ? decodeBase64(new TextEncoder().encode(body))
            : decodeQuotedPrintable(new TextEncoder().encode(body.replaceAll('_', ' ')));
        return decodeCharset(bytes, charset);
      },
    );
}

/** By the Encoding Standard's labels; an unknown label decodes as UTF-8. */
function decodeCharset(bytes: Uint8Array, charset: string): string {
  return (textDecoder(charset) ?? new TextDecoder('utf-8', { ignoreBOM: true })).decode(bytes);
}

/**
 * Those that every platform of ours decodes alike: Node lacks ISO-8859-16, which browsers have, and a text
 * must have one hash everywhere. docs/evidence-format.md §2
 */
const PINNED_CHARSETS = new Set([
  ...['utf-8', 'utf-16le', 'utf-16be', 'ibm866', 'koi8-r', 'koi8-u', 'macintosh', 'x-mac-cyrillic'],
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15].map((part) => `iso-8859-${part}`),
  ...['iso-8859-8-i', 'windows-874', ...Array.from({ length: 9 }, (_, at) => `windows-${1250 + at}`)],
  ...['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr'],
]);

/** Undefined for a label that is unknown, or of a charset that is not pinned. */
export function textDecoder(charset: string): Pick<TextDecoder, 'decode'> | undefined {
  try {
    const decoder = new TextDecoder(charset, { ignoreBOM: true });
    const encoding = decoder.encoding.toLowerCase();
    if (encoding === 'windows-1252') return { decode: (octets) => westernText(decoder.decode(octets)) };
    return PINNED_CHARSETS.has(encoding) ? decoder : undefined;
  } catch {
    return undefined;
  }
}

/** Windows-1252 from 80 to 9F. */
const WESTERN = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Corrects a decoder of Windows-1252 to the Encoding Standard: some versions of Node decode ISO-8859-1, in
 * which these are controls.
 */
export function westernText(decoded: string): string {
  return decoded.replace(/[\u0080-\u009f]/g, (control) => WESTERN[control.charCodeAt(0) - 0x80]!);
}

/** Everything outside the alphabet is skipped, padding ends it. RFC 2045 §6.8 */
export function decodeBase64(encoded: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil((encoded.length * 3) / 4));
  let at = 0;
  let group = 0;
  let bits = 0;
  for (let i = 0; i < encoded.length; i++) {
    const code = encoded[i]!;
    if (code === 0x3d) break;
    const value = base64Value(code);
    if (value < 0) continue;
    group = ((group << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = (group >> bits) & 255;
    }
  }
  return out.subarray(0, at);
}

/**
 * Soft line breaks joined, white space at line ends dropped, a malformed `=XX` left as it is. RFC 2045 §6.7
 */
export function decodeQuotedPrintable(encoded: Uint8Array): Uint8Array {
  const out = new Uint8Array(encoded.length);
  let at = 0;
  // End of the last byte that is not white space at the end of a line so far.
  let solid = 0;
  for (let i = 0; i < encoded.length; i++) {
    const byte = encoded[i]!;
    if (byte === 0x20 || byte === 0x09) {
      out[at++] = byte;
      continue;
    }
    if (byte === 0x0d || byte === 0x0a) {
      at = solid;
      out[at++] = byte;
    } else if (byte === 0x3d) {
      const end = softBreakEnd(encoded, i + 1);
      const high = hexValue(encoded[i + 1]);
      const low = hexValue(encoded[i + 2]);
      if (end > 0) i = end - 1;
      else if (high >= 0 && low >= 0) {
        out[at++] = high * 16 + low;
        i += 2;
      } else out[at++] = byte;
    } else out[at++] = byte;
    solid = at;
  }
  return out.subarray(0, solid);
}

/** The end of `[white space] CRLF` (or LF, or the end) from here on, 0 if something else follows. */
function softBreakEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) return at + 2;
  return bytes[at] === 0x0a ? at + 1 : at === bytes.length ? at : 0;
}

function hexValue(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const upper = code & 0xdf;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}
