/**
 * Decoding PostgreSQL's answers takes the event loop some 10 ms per MiB, so that large values are read in
 * slices. Their column is stored external, so that a slice is cheap to read.
 */

/** Also the size from which a value counts as large (bytes). */
const SLICE_BYTES = 512 * 1024;

/**
 * `readSlice`: `count` bytes from `from` (1-based, as substring counts). Null when the value disappeared
 * meanwhile.
 */
export async function readSliced(
  sizeBytes: number,
  readSlice: (from: number, count: number) => Promise<Uint8Array | null>,
): Promise<Buffer<ArrayBuffer> | null> {
  // Not from Node's pool: the buffer may be transferred.
  const bytes = Buffer.from(new ArrayBuffer(sizeBytes));
  for (let at = 0; at < sizeBytes; at += SLICE_BYTES) {
    const count = Math.min(SLICE_BYTES, sizeBytes - at);
    const slice = await readSlice(at + 1, count);
    if (slice === null || slice.length !== count) return null;
    bytes.set(slice, at);
  }
  return bytes;
}
