/**
 * Many byte strings as one binary parameter, with the start (1-based) and length of each. An array would
 * travel in hexadecimal.
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

/** SQL for the nth uuid (from 0) of a binary parameter that concatenates them. */
export function uuidAt(parameter: string): string {
  return `encode(substring(${parameter}::bytea from n * 16 + 1 for 16), 'hex')::uuid`;
}
