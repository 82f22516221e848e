/** A message as it goes on the wire. `sizeBytes` is its size before dot-stuffing, the SIZE of RFC 1870. */
export interface MessageData {
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
}

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

/**
 * The result of one scan of a message; `clean`: its bytes can go out as they are except for dots and the last
 * line end.
 */
export interface MessageScan {
  readonly sizeBytes: number;
  readonly eightBit: boolean;
  readonly clean: boolean;
  readonly leadingDots: number;
  readonly endsInCrlf: boolean;
}

/** Looks over the chunks as one message: bare CR or LF, 8-bit bytes, lines that start with a dot. */
export function scanMessage(chunks: readonly Uint8Array[]): MessageScan {
  let previous = LF;
  let beforePrevious = CR;
  let eightBit = false;
  let clean = true;
  let leadingDots = 0;
  let sizeBytes = 0;
  for (const chunk of chunks) {
    sizeBytes += chunk.length;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i]!;
      if (byte > 0x7f) eightBit = true;
      else if (byte === LF) {
        if (previous !== CR) clean = false;
      } else if (byte === DOT && previous === LF) leadingDots += 1;
      if (previous === CR && byte !== LF) clean = false;
      beforePrevious = previous;
      previous = byte;
    }
  }
  const endsInCrlf = sizeBytes === 0 || (previous === LF && beforePrevious === CR);
  return { sizeBytes, eightBit, clean: clean && previous !== CR, leadingDots, endsInCrlf };
}

/** As scanMessage, chunk by chunk; each but the last ends in CRLF. */
export function joinScans(first: MessageScan, second: MessageScan): MessageScan {
  return {
    sizeBytes: first.sizeBytes + second.sizeBytes,
    eightBit: first.eightBit || second.eightBit,
    clean: first.clean && second.clean,
    leadingDots: first.leadingDots + second.leadingDots,
    endsInCrlf: second.endsInCrlf,
  };
}

/**
 * The bytes for DATA, end mark included: every line starting with a dot is stuffed, every line ends in CRLF.
 * A bare CR or LF becomes CRLF before dots are looked at, so that no reader finds an end of data of its own
 * (CVE-2023-51764 and its kind). RFC 5321 §4.5.2
 */
export function dataForDot(chunks: readonly Uint8Array[], scan: MessageScan): MessageData {
  if (!scan.clean) {
    const normal = [normalizeLineEnds(chunks)];
    return dataForDot(normal, scanMessage(normal));
  }
  const tail = scan.endsInCrlf ? 3 : 5;
  const bytes = new Uint8Array(scan.sizeBytes + scan.leadingDots + tail);
  let at = scan.leadingDots === 0 ? copyAll(bytes, chunks) : copyStuffed(bytes, chunks);
  if (!scan.endsInCrlf) at = copyCrlf(bytes, at);
  bytes[at] = DOT;
  copyCrlf(bytes, at + 1);
  return { bytes, sizeBytes: scan.sizeBytes + tail - 3 };
}

/** The bytes for BDAT, without stuffing or end mark, line ends as for DATA. RFC 3030 §2 */
export function dataForChunk(chunks: readonly Uint8Array[], scan: MessageScan): MessageData {
  if (!scan.clean) {
    const normal = [normalizeLineEnds(chunks)];
    return dataForChunk(normal, scanMessage(normal));
  }
  const bytes = new Uint8Array(scan.sizeBytes + (scan.endsInCrlf ? 0 : 2));
  const at = copyAll(bytes, chunks);
  if (!scan.endsInCrlf) copyCrlf(bytes, at);
  return { bytes, sizeBytes: bytes.length };
}

function copyAll(into: Uint8Array, chunks: readonly Uint8Array[]): number {
  let at = 0;
  for (const chunk of chunks) {
    into.set(chunk, at);
    at += chunk.length;
  }
  return at;
}

function copyStuffed(into: Uint8Array, chunks: readonly Uint8Array[]): number {
  let at = 0;
  let previous = LF;
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i]!;
      if (byte === DOT && previous === LF) {
        into[at] = DOT;
        at += 1;
      }
      into[at] = byte;
      at += 1;
      previous = byte;
    }
  }
  return at;
}

function copyCrlf(into: Uint8Array, at: number): number {
  into[at] = CR;
  into[at + 1] = LF;
  return at + 2;
}

function normalizeLineEnds(chunks: readonly Uint8Array[]): Uint8Array {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const out = new Uint8Array(total * 2);
  let at = 0;
  let previous = 0;
  for (const chunk of chunks) {
    for (const byte of chunk) {
      if (byte === CR) at = copyCrlf(out, at);
      else if (byte === LF) {
        if (previous !== CR) at = copyCrlf(out, at);
      } else {
        out[at] = byte;
        at += 1;
      }
      previous = byte;
    }
  }
  return out.subarray(0, at);
}
