/** SHA-256 as the caller provides it: native on a server, a library in a browser. 32 bytes out. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** Bytes to bytes of a detached Ed25519 signature, 64 bytes; the private key stays with the caller. */
export type Sign = (message: Uint8Array) => Uint8Array;

export const SHA256_BYTES = 32;

const encoder = new TextEncoder();
const fatalDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1Decoder = new TextDecoder('latin1');

/** Arguments of one call. */
const CODES_AT_ONCE = 4096;
/** Characters up to which a loop beats the native encoder's call, if they are ASCII. */
const SHORT_TEXT = 64;

export function utf8(text: string): Uint8Array {
  if (text.length > SHORT_TEXT) return encoder.encode(text);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return encoder.encode(text);
    out[i] = code;
  }
  return out;
}

/** True if UTF-8 can carry the text: no surrogate stands alone. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

/** Strict UTF-8, BOM kept as a character; undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return fatalDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes of ASCII to text; a byte over 0x7f is the character of its number (ISO-8859-1), never an error. */
export function decodeAscii(bytes: Uint8Array): string {
  const text = latin1Decoder.decode(bytes);
  // `latin1` is windows-1252 in browsers and in later Nodes: 80 to 9F are other characters there.
  return hasControls(bytes) ? fromCodes(bytes) : text;
}

function hasControls(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80 && bytes[i]! <= 0x9f) return true;
  return false;
}

function fromCodes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CODES_AT_ONCE)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + CODES_AT_ONCE)));
  return parts.join('');
}

export function concat(...chunks: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** Bytes that are written from the front; whoever makes them knows how many it takes. */
export type Writer = { readonly out: Uint8Array; at: number };

export function put(writer: Writer, bytes: Uint8Array): void {
  writer.out.set(bytes, writer.at);
  writer.at += bytes.length;
}

/** Text that is ASCII, as ids and times are. */
export function putAscii(writer: Writer, text: string): void {
  const { out } = writer;
  for (let i = 0; i < text.length; i++) out[writer.at++] = text.charCodeAt(i);
}

/** Lower-case hex. */
export function putHex(writer: Writer, bytes: Uint8Array): void {
  const { out } = writer;
  let { at } = writer;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    out[at++] = HEX_DIGITS[byte >> 4]!;
    out[at++] = HEX_DIGITS[byte & 15]!;
  }
  writer.at = at;
}

/** Compares in a time that depends on the lengths alone. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i++) out += HEX[bytes[i]!];
  return out;
}

const HEX_DIGITS = encoder.encode('0123456789abcdef');

/** Lower-case hex only, of `sizeBytes` bytes if given; undefined otherwise. */
export function fromHex(text: string, sizeBytes?: number): Uint8Array | undefined {
  if (text.length % 2 !== 0 || (sizeBytes !== undefined && text.length !== 2 * sizeBytes)) return undefined;
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i));
    const low = hexDigit(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) return undefined;
    out[i] = high * 16 + low;
  }
  return out;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

const BASE64 = encoder.encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PAD = 0x3d;
const BASE64_VALUE = new Int8Array(256).fill(-1);
for (let i = 0; i < 64; i++) BASE64_VALUE[BASE64[i]!] = i;

/** The value 0..63 of a base64 character code, -1 for any other. RFC 4648 §4. */
export function base64Value(code: number): number {
  return code < 256 ? BASE64_VALUE[code]! : -1;
}

/** Padded standard base64 without line breaks. RFC 4648 §4. */
export function toBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let at = 0;
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    out[at++] = BASE64[group >> 18]!;
    out[at++] = BASE64[(group >> 12) & 63]!;
    out[at++] = BASE64[(group >> 6) & 63]!;
    out[at++] = BASE64[group & 63]!;
  }
  if (i < bytes.length) {
    const second = i + 1 < bytes.length ? bytes[i + 1]! : 0;
    const group = (bytes[i]! << 16) | (second << 8);
    out[at++] = BASE64[group >> 18]!;
    out[at++] = BASE64[(group >> 12) & 63]!;
    out[at++] = i + 1 < bytes.length ? BASE64[(group >> 6) & 63]! : PAD;
    out[at++] = PAD;
  }
  return latin1Decoder.decode(out);
}

/**
 * Exactly the one encoding that toBase64 writes; undefined for white space, missing padding or stray trailing
 * bits.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const out = new Uint8Array((text.length / 4) * 3 - padding);
  const digits = text.length - padding;
  let group = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const value = base64Value(text.charCodeAt(i));
    if (value < 0) return undefined;
    group = ((group << 6) | value) & 0xffffff;
    if (i % 4 === 3) {
      out[at++] = group >> 16;
      out[at++] = (group >> 8) & 255;
      out[at++] = group & 255;
    }
  }
  if (padding === 1) {
    if ((group & 3) !== 0) return undefined;
    out[at++] = (group >> 10) & 255;
    out[at++] = (group >> 2) & 255;
  } else if (padding === 2) {
    if ((group & 15) !== 0) return undefined;
    out[at++] = (group >> 4) & 255;
  }
  return out;
}
