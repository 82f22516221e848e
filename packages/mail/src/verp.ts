import { timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from './hmac.ts';

/**
 * Variable envelope return paths: `b+<token>@<host>` names the message that a bounce is about. The token is
 * signed and expires, so that nobody else can make one and an old one stops working. Letters and digits only,
 * in either case: relays fold it.
 *
 * Token: base32 (RFC 4648 §6, lower case, unpadded) of message id (16 bytes) ‖ expiry day (2, days since
 * 1970-01-01 UTC) ‖ HMAC-SHA-256 cut to 10.
 */

const PREFIX = 'b+';
const MESSAGE_ID_BYTES = 16;
const SIGNED_BYTES = MESSAGE_ID_BYTES + 2;
/**
 * 80 bits: out of reach for a guesser who must ask us each time, and the local part stays under 64 octets.
 */
const MAC_BYTES = 10;
const MAC_DOMAIN = Buffer.from('acuse/return-path/v1\n');
const TOKEN_BYTES = SIGNED_BYTES + MAC_BYTES;
const TOKEN_CHARS = Math.ceil((TOKEN_BYTES * 8) / 5);
const DAY_MS = 86_400_000;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const TOKEN = new RegExp(`^[a-z2-7]{${TOKEN_CHARS}}$`);

export interface ReturnPathInput {
  /** A UUID, 36 characters. */
  messageId: string;
  /** The last day on which the token is good. */
  expiresAt: Date;
  /** At least 32 random bytes. */
  secret: Uint8Array;
  /** Host that takes the bounces. */
  domain: string;
}

/** The MAIL FROM of a message; the same input makes the same address. */
export function makeReturnPath({ messageId, expiresAt, secret, domain }: ReturnPathInput): string {
  const token = Buffer.alloc(TOKEN_BYTES);
  const signed = token.subarray(0, SIGNED_BYTES);
  signed.write(messageId.replaceAll('-', ''), 'hex');
  signed.writeUInt16BE(Math.floor(expiresAt.getTime() / DAY_MS), MESSAGE_ID_BYTES);
  token.set(macOf(signed, secret), SIGNED_BYTES);
  return `${PREFIX}${toBase32(token)}@${domain}`;
}

export type ReturnPathReading =
  | { ok: true; messageId: string }
  | { ok: false; reason: 'not_ours' | 'forged' | 'expired' };

/**
 * The message that an address names. `secrets`: the current one and those before it. Constant time in the
 * signature.
 */
export function readReturnPath(
  address: string,
  secrets: readonly Uint8Array[],
  now: Date,
): ReturnPathReading {
  const at = address.lastIndexOf('@');
  const localPart = (at < 0 ? address : address.slice(0, at)).toLowerCase();
  const token = localPart.slice(PREFIX.length);
  if (!localPart.startsWith(PREFIX) || !TOKEN.test(token)) return { ok: false, reason: 'not_ours' };
  const bytes = fromBase32(token);
  // Padding bits are not signed: only the one spelling that we make is ours.
  if (toBase32(bytes) !== token) return { ok: false, reason: 'not_ours' };
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = bytes.subarray(SIGNED_BYTES);
  const genuine = secrets.map((secret) => timingSafeEqual(macOf(signed, secret), mac)).includes(true);
  if (!genuine) return { ok: false, reason: 'forged' };
  if (signed.readUInt16BE(MESSAGE_ID_BYTES) < Math.floor(now.getTime() / DAY_MS))
    return { ok: false, reason: 'expired' };
  const hex = signed.toString('hex', 0, MESSAGE_ID_BYTES);
  const messageId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { ok: true, messageId };
}

/** The token of an address of this form, lower case, whether or not we made it; null where there is none. */
export function tokenOf(address: string): string | null {
  const at = address.lastIndexOf('@');
  const end = at < 0 ? address.length : at;
  if (end !== PREFIX.length + TOKEN_CHARS) return null;
  const localPart = address.slice(0, end).toLowerCase();
  const token = localPart.slice(PREFIX.length);
  return localPart.startsWith(PREFIX) && TOKEN.test(token) ? token : null;
}

function macOf(signed: Uint8Array, secret: Uint8Array): Buffer {
  return hmacSha256(secret, Buffer.concat([MAC_DOMAIN, signed])).subarray(0, MAC_BYTES);
}

/** Written into bytes and read as text once: a string of 45 pieces is flattened later, for more. */
export function toBase32(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let value = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    value = (value << 8) | bytes[i]!;
    for (bits += 8; bits >= 5; bits -= 5) text[at++] = ALPHABET.charCodeAt((value >> (bits - 5)) & 31);
    value &= (1 << bits) - 1;
  }
  if (bits > 0) text[at] = ALPHABET.charCodeAt((value << (5 - bits)) & 31);
  return text.toString('latin1');
}

function fromBase32(text: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  let value = 0;
  let bits = 0;
  let at = 0;
  for (const char of text) {
    value = (value << 5) | ALPHABET.indexOf(char);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = value >> bits;
    value &= (1 << bits) - 1;
  }
  return bytes;
}
