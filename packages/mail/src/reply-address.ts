import { timingSafeEqual } from 'node:crypto';
import { replyPrefix } from '@acuse/evidence/verify-reply';
import { hmacSha256 } from './hmac.ts';
import { toBase32 } from './verp.ts';

/**
 * Where a recipient acknowledges a message by mail: `ack+<message id, hex>-<mac>@<host>`. It names the
 * message in the open, so that whoever verifies the mail later sees that it is about this one and no other.
 * The MAC, HMAC-SHA-256 cut to 80 bits, keeps strangers out; it ends with the request, not with a date of its
 * own.
 */
const MAC_BYTES = 10;
const MAC_DOMAIN = Buffer.from('acuse/reply-address/v1\n');
const LOCAL_PART = /^ack\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-([a-z2-7]{16})$/;

export interface ReplyAddressInput {
  /** A UUID, 36 characters. */
  readonly messageId: string;
  /** At least 32 random bytes. */
  readonly secret: Uint8Array;
  /** Host that takes the mail. */
  readonly domain: string;
}

export function makeReplyAddress({ messageId, secret, domain }: ReplyAddressInput): string {
  return `${replyPrefix(messageId)}${toBase32(macOf(messageId, secret))}@${domain}`;
}

/**
 * The message that an address of ours names; null: not ours. `secrets`: the current one and those before it.
 */
export function readReplyAddress(address: string, secrets: readonly Uint8Array[]): string | null {
  const local = address.slice(0, Math.max(address.lastIndexOf('@'), 0)).toLowerCase();
  const found = LOCAL_PART.exec(local);
  if (found === null) return null;
  const messageId = found.slice(1, 6).join('-');
  const stated = Buffer.from(found[6]!);
  const made = secrets.map((secret) => Buffer.from(toBase32(macOf(messageId, secret))));
  return made.map((mac) => timingSafeEqual(mac, stated)).includes(true) ? messageId : null;
}

function macOf(messageId: string, secret: Uint8Array): Uint8Array {
  const signed = Buffer.concat([MAC_DOMAIN, Buffer.from(messageId)]);
  return hmacSha256(secret, signed).subarray(0, MAC_BYTES);
}
