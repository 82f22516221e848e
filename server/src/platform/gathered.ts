/** Bytes; smaller pieces are copied together. */
const SMALL_BYTES = 4_096;
const SMALL_PIECES_MAX = 64;

/**
 * Bytes that arrive in pieces. Each piece takes some 500 bytes besides its own, so that a peer that sends
 * byte by byte would take hundreds of times the memory that is counted: runs of small ones become one.
 */
export class Gathered {
  #pieces: Uint8Array[] = [];
  /** At the end of `#pieces`. */
  #smallPieces = 0;
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#sizeBytes += piece.length;
    this.#smallPieces = piece.length < SMALL_BYTES ? this.#smallPieces + 1 : 0;
    if (this.#smallPieces < SMALL_PIECES_MAX) return;
    const run = Buffer.concat(this.#pieces.splice(-SMALL_PIECES_MAX));
    this.#pieces.push(run);
    this.#smallPieces = run.length < SMALL_BYTES ? 1 : 0;
  }

  /** A copy: a piece may be a view of its socket's buffer. */
  bytes(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.#pieces, this.#sizeBytes);
  }

  clear(): void {
    this.#pieces = [];
    this.#smallPieces = 0;
    this.#sizeBytes = 0;
  }
}

/** Null: longer; the rest is not read. */
export async function gatherUpTo(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const gathered = new Gathered();
  for await (const piece of body) {
    if (gathered.sizeBytes + piece.length > maxBytes) return null;
    gathered.add(piece);
  }
  return gathered.bytes();
}
