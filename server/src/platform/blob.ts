/**
 * Many byte strings as one binary parameter: where each begins (1-based, as SQL's substring counts) and how
 * long it is. As elements of an array they would travel in hexadecimal, and be read twice.
 */
export class Blob {
  readonly bytes: Buffer;
  readonly from: number[] = [];
  readonly lengths: number[] = [];

  constructor(parts: readonly Uint8Array[]) {
    let at = 1;
    for (const part of parts) {
      this.from.push(at);
      this.lengths.push(part.length);
      at += part.length;
    }
    this.bytes = Buffer.concat(parts);
  }
}

/** As SQL: the uuid number `n` (from 0) of a binary parameter that holds one after the other. */
export function uuidAt(parameter: string): string {
  return `encode(substring(${parameter}::bytea from n * 16 + 1 for 16), 'hex')::uuid`;
}
