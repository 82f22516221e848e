import pg from 'pg';

/**
 * Rows as `copy … to stdout (format binary)`, for very large reads: without texts and parsing, a wide row
 * costs a third.
 */

const MAX_BYTES = 512 * 1024 * 1024;
const FIRST_BYTES = 1024 * 1024;

/** A copy takes no parameters, so `values` are written into the text. */
export function copyOut(
  client: pg.ClientBase,
  select: string,
  values: readonly (string | number)[],
): Promise<CopiedRows> {
  const text = select.replace(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1]));
  return new Promise((resolve, reject) => {
    const copy = new CopyQuery({ text: `copy (${text}) to stdout (format binary)` }, (error) => {
      if (error) return reject(error);
      try {
        resolve(new CopiedRows(copy.received()));
      } catch (cause) {
        reject(cause);
      }
    });
    client.query(copy);
  });
}

function literal(value: string | number | undefined): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (!Number.isSafeInteger(value)) throw new Error(`not a value for a copy: ${value}`);
  return String(value);
}

/** Extends pg's query class: only those may queue on a connection. */
class CopyQuery extends pg.Query {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #size = 0;

  /** pg reuses the chunk's memory after this call. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const size = this.#size + chunk.length;
    if (size <= MAX_BYTES) {
      if (size > this.#bytes.length) this.#grow(Math.max(size, 2 * this.#bytes.length));
      chunk.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  received(): Buffer {
    if (this.#size > MAX_BYTES) throw new Error(`a copy has ${this.#size} bytes, of ${MAX_BYTES} at most`);
    return this.#bytes.subarray(0, this.#size);
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafe(size);
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}

/** PostgreSQL, "COPY: Binary Format": a signature, flags, and the length of an extension that none has. */
const SIGNATURE = Buffer.from('5047434f50590aff0d0a00', 'hex');
const HEADER_BYTES = SIGNATURE.length + 8;
const OID_BYTES = 4;
const TIME_EPOCH_MS = Date.UTC(2000, 0, 1);

/**
 * Reads rows in order, and the values of each in column order. Each method returns the next value, or null,
 * and must match its type. Bytes are views.
 */
export class CopiedRows {
  readonly #bytes: Buffer;
  #at = HEADER_BYTES;
  /** Bytes before each value's length: none in a row, the type in a record. */
  #before = 0;

  constructor(bytes: Buffer) {
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('not a binary copy');
    this.#bytes = bytes;
  }

  /** Goes to the next row, once all values of the last were read; false after the last. */
  next(): boolean {
    const values = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return values >= 0;
  }

  /** Reads bytes that record_send made of a row. */
  record<T>(read: () => T): T | null {
    if (this.#length() < 0) return null;
    this.#at += 4;
    this.#before = OID_BYTES;
    const value = read();
    this.#before = 0;
    return value;
  }

  bytes(): Buffer | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  text(): string | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  /** int4 and int8. Throws RangeError beyond the safe integers. */
  integer(): number | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    if (length === 4) return this.#bytes.readInt32BE(this.#at - 4);
    const value = this.#int8();
    if (!Number.isSafeInteger(value))
      throw new RangeError(`int8 out of the safe range: ${this.#bytes.readBigInt64BE(this.#at - 8)}`);
    return value;
  }

  boolean(): boolean | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes[this.#at - 1] === 1;
  }

  uuid(): string | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    const hex = this.#bytes.toString('hex', this.#at - length, this.#at);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** timestamptz: microseconds from 2000 on. */
  time(): Date | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return new Date(TIME_EPOCH_MS + this.#int8() / 1_000);
  }

  /** Not exact beyond 2^53. */
  #int8(): number {
    return this.#bytes.readInt32BE(this.#at - 8) * 0x1_0000_0000 + this.#bytes.readUInt32BE(this.#at - 4);
  }

  #length(): number {
    const at = this.#at + this.#before;
    this.#at = at + 4;
    return this.#bytes.readInt32BE(at);
  }
}
