import { randomFillSync } from 'node:crypto';

/**
 * Drawn at once and given out in pieces: a call to the generator costs some 8 µs, however little is asked
 * for.
 */
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Up to 4096 bytes from the operating system's generator, in memory of the caller's own; no byte is given out
 * twice.
 */
export function randomSecret(sizeBytes: number): Uint8Array {
  if (sizeBytes > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} bytes at once`);
  if (used + sizeBytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const secret = pool.slice(used, used + sizeBytes);
  // Who reads this process's memory later finds no secret here that it has given out.
  pool.fill(0, used, used + sizeBytes);
  used += sizeBytes;
  return secret;
}
