import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn in bulk: each call to the generator costs some 8 µs. */
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Up to 4096 random bytes, never given out twice. */
export function randomSecret(sizeBytes: number): Uint8Array {
  if (sizeBytes > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} bytes at once`);
  if (used + sizeBytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const secret = pool.slice(used, used + sizeBytes);
  // Bytes given out are wiped from the pool.
  pool.fill(0, used, used + sizeBytes);
  used += sizeBytes;
  return secret;
}
