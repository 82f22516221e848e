import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API key: `acuse_<key id>_<secret><checksum>`.
 *
 * key id: the UUIDv7 in 26 characters; secret: 160 bits in 32; checksum: CRC-32 of the rest in 7. Lower-case
 * Crockford base 32: can be read aloud and selected by double click. Prefix and checksum help secret
 * scanners,
 * and catch typing errors without a look-up.
 */

const KEY_PREFIX = 'acuse_';
export const SECRET_BYTES = 20;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const HEX = '0123456789abcdef';
const VALUES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, ALPHABET.indexOf(String.fromCharCode(code))),
);
const ID_CHARS = 26;
const SECRET_CHARS = 32;
const CHECKSUM_CHARS = 7;
const SECRET_AT = KEY_PREFIX.length + ID_CHARS + 1;
const CHECKSUM_AT = SECRET_AT + SECRET_CHARS;
export const KEY_CHARS = CHECKSUM_AT + CHECKSUM_CHARS;

/** A key id's first character holds 3 bits (26 × 5 = 130 > 128). */
const SHAPE = new RegExp(
  `^${KEY_PREFIX}[0-7][${ALPHABET}]{${ID_CHARS - 1}}_[${ALPHABET}]{${SECRET_CHARS + CHECKSUM_CHARS}}$`,
);

interface ParsedKey {
  apiKeyId: string;
  secret: string;
}

export function formatKey(apiKeyId: string, secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`an API key's secret has ${SECRET_BYTES} bytes`);
  const id = encodeBytes(Buffer.from(apiKeyId.replaceAll('-', ''), 'hex'), ID_CHARS);
  const body = `${KEY_PREFIX}${id}_${encodeBytes(secret, SECRET_CHARS)}`;
  return body + checksum(body);
}

export function parseKey(key: string): ParsedKey | null {
  if (key.length !== KEY_CHARS || !SHAPE.test(key)) return null;
  const body = key.slice(0, CHECKSUM_AT);
  if (checksum(body) !== key.slice(CHECKSUM_AT)) return null;
  return { apiKeyId: decodeId(key), secret: body.slice(SECRET_AT) };
}

export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function encodeBytes(bytes: Uint8Array, chars: number): string {
  let text = '';
  for (let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`), i = 0; i < chars; i++, rest >>= 5n) {
    text = ALPHABET[Number(rest & 31n)]! + text;
  }
  return text;
}

function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body), i = 0; i < CHECKSUM_CHARS; i++, rest >>>= 5)
    text = ALPHABET[rest & 31]! + text;
  return text;
}

/** For every request: no BigInt. */
function decodeId(key: string): string {
  let hex = '';
  let held = 0;
  // The first character's top bits are padding.
  let bits = -2;
  for (let at = KEY_PREFIX.length; at < KEY_PREFIX.length + ID_CHARS; at++) {
    held = (held << 5) | VALUES[key.charCodeAt(at)]!;
    bits += 5;
    while (bits >= 4) {
      bits -= 4;
      hex += HEX[(held >> bits) & 15]!;
    }
    held &= (1 << bits) - 1;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
