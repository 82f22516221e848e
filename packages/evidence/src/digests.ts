import type { Sha256 } from './bytes.ts';

/** An asynchronous, faster SHA-256, such as WebCrypto in a browser. */
export type Digest = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Below it, waiting costs more than hashing here. */
export const DIGESTED_FROM_BYTES = 64 * 1024;

/**
 * `sha256` for callers who hash these arrays too and do not change them meanwhile: `digest` hashes each large
 * array once. Recognises an array by identity, not by content.
 */
export async function withDigests(
  sha256: Sha256,
  digest: Digest | undefined,
  arrays: Iterable<Uint8Array>,
): Promise<Sha256> {
  if (digest === undefined) return sha256;
  const known = new Map<Uint8Array, Uint8Array>();
  const large = [...arrays].filter(({ length }) => length >= DIGESTED_FROM_BYTES);
  await Promise.all(large.map(async (bytes) => known.set(bytes, await digest(bytes))));
  return (bytes) => known.get(bytes) ?? sha256(bytes);
}
