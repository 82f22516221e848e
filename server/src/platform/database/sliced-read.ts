/**
 * PostgreSQL's answers are decoded by the thread that answers requests, some 10 ms for each MiB: a large
 * value is read a slice at a time, with a turn for everybody else in between. Its column is stored external,
 * so that a slice costs a slice.
 */

/** Also the size from which a value is large (bytes). */
export const SLICE_BYTES = 512 * 1024;

/**
 * `readSlice`: `count` bytes from `from`, which counts from 1 as substring does. Null when the value went
 * while it was read.
 */
export async function readSliced(
  sizeBytes: number,
  readSlice: (from: number, count: number) => Promise<Uint8Array | null>,
): Promise<Buffer<ArrayBuffer> | null> {
  // Not of Node's pool: who gets it may hand the buffer over.
  const bytes = Buffer.from(new ArrayBuffer(sizeBytes));
  for (let at = 0; at < sizeBytes; at += SLICE_BYTES) {
    const count = Math.min(SLICE_BYTES, sizeBytes - at);
    const slice = await readSlice(at + 1, count);
    if (slice === null || slice.length !== count) return null;
    bytes.set(slice, at);
  }
  return bytes;
}
