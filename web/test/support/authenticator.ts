import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 1_000_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app that was given this secret. RFC 6238 §4 */
export function authenticator(secret: string) {
  const key = fromBase32(secret.replace(/\s/g, ''));
  let last = 0;
  return {
    /** A code that was not shown before: of this step, or of the next, which the server takes as well. */
    next(): string {
      last = Math.max(last + 1, Math.floor(Date.now() / STEP_MS));
      return hotp(key, last);
    },
  };
}

/** The digits of one step, cut out of its code. RFC 6238 §4 */
function hotp(key: Buffer, counter: number): string {
  const moving = Buffer.alloc(8);
  moving.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(moving).digest();
  const offset = mac.at(-1)! & 0x0f;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % DIGITS).padStart(6, '0');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}
