import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const SHA256_BYTES = 32;

interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

/** By the key's own array: the few keys of a process are used for as long as it runs. */
const padsOf = new WeakMap<Uint8Array, Pads>();

/**
 * HMAC-SHA-256 (RFC 2104 §2) that keeps the key's pads, for the few bytes that are signed for each message:
 * two calls, where an Hmac object costs several times as much and must be collected afterwards. Nothing may
 * write to `key` while it is in use. 32 bytes out.
 */
export function hmacSha256(key: Uint8Array, data: Uint8Array): Buffer {
  const { inner, outer } = padsOf.get(key) ?? keepPads(key);
  const digest = hash('sha256', Buffer.concat([inner, data]), 'binary');
  const last = Buffer.allocUnsafe(BLOCK_BYTES + SHA256_BYTES);
  outer.copy(last);
  last.write(digest, BLOCK_BYTES, 'latin1');
  return hash('sha256', last, 'buffer');
}

function keepPads(key: Uint8Array): Pads {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key);
  const padded = (mask: number) => Buffer.from(block.map((byte) => byte ^ mask));
  const pads = { inner: padded(0x36), outer: padded(0x5c) };
  padsOf.set(key, pads);
  return pads;
}
