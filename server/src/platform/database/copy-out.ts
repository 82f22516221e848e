import pg from 'pg';

/**
 * Rows as `copy … to stdout (format binary)` sends them, for reads of very many: PostgreSQL writes no texts
 * and nobody parses any, so that a row of thirty values costs a third of what it does as a query's.
 */

/** What one statement may send (bytes): a page of rows is far below. */
const MAX_BYTES = 512 * 1024 * 1024;
const FIRST_BYTES = 1024 * 1024;

/** `values`: for $1, $2, …; a copy takes no parameters, so that they are written into the text. */
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

/** One of pg's own queries, because only those may wait in line on a connection. */
class CopyQuery extends pg.Query {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #size = 0;

  /** Called by pg with each piece, whose memory it uses again. */
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
 * The rows one after the other, and the values of each in the order of its columns: each method reads the
 * next value, null for null, and must be the one of its type. What it returns of bytes are views.
 */
export class CopiedRows {
  readonly #bytes: Buffer;
  #at = HEADER_BYTES;
  /** What stands before the length of each value: nothing in a row, its type in a record. */
  #before = 0;

  constructor(bytes: Buffer) {
    if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('not a binary copy');
    this.#bytes = bytes;
  }

  /** Goes to the next row, all of the one before having been read; false after the last. */
  next(): boolean {
    const values = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return values >= 0;
  }

  /** Of bytes that are record_send of a row: what `read` makes of its values, all of which it reads. */
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

  /** int4 and int8. Throws RangeError for one that a number cannot hold. */
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

  /** Of the value that ends here; not exact beyond 2^53. */
  #int8(): number {
    return this.#bytes.readInt32BE(this.#at - 8) * 0x1_0000_0000 + this.#bytes.readUInt32BE(this.#at - 4);
  }

  #length(): number {
    const at = this.#at + this.#before;
    this.#at = at + 4;
    return this.#bytes.readInt32BE(at);
  }
}
