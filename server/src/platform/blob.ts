/**
 * Many byte strings as one binary parameter, with the start (1-based) and length of each. An array would
 * travel in hexadecimal. A part equal to the one before it is stored once.
 */
export class Blob {
  readonly bytes: Buffer;
  readonly from: number[] = [];
  readonly lengths: number[] = [];

  constructor(parts: readonly Uint8Array[]) {
    const different: Uint8Array[] = [];
    let end = 1;
    for (const part of parts) {
      if (part !== different.at(-1)) {
        different.push(part);
        end += part.length;
      }
      this.from.push(end - part.length);
      this.lengths.push(part.length);
    }
    this.bytes = Buffer.concat(different);
  }
}

/** SQL for the nth uuid (from 0) of a binary parameter that concatenates them. */
export function uuidAt(parameter: string): string {
  return `encode(substring(${parameter}::bytea from n * 16 + 1 for 16), 'hex')::uuid`;
}
