/**
 * Array parameters in PostgreSQL's binary form (array_recv): one dimension, and of each element its length
 * and its bytes. PostgreSQL reads an id of a text array digit by digit, for a tenth of what a row of a
 * group's statement costs. The cast in the statement must name the very type: it is in the bytes.
 */

/** Oids, fixed for good (pg_type.dat). */
const TIMESTAMPTZ = 1184;
const UUID = 2950;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const TIME_BYTES = 8;
const UUID_BYTES = 16;

function open(type: number, count: number, elementBytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + count * (LENGTH_BYTES + elementBytes));
  array.writeInt32BE(1, 0);
  // Whether there are nulls: PostgreSQL looks itself.
  array.writeInt32BE(0, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** Where PostgreSQL's times begin (2000-01-01). */
const EPOCH_MS = 946_684_800_000;
const US_PER_MS = 1_000;
const TWO_TO_32 = 2 ** 32;

export function timeArray(times: readonly (Date | null)[]): Buffer {
  const array = open(TIMESTAMPTZ, times.length, TIME_BYTES);
  let at = HEADER_BYTES;
  for (const time of times) {
    if (time === null) {
      at = array.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const us = (time.getTime() - EPOCH_MS) * US_PER_MS;
    if (!Number.isSafeInteger(us)) throw new RangeError(`not a time that PostgreSQL can have: ${time}`);
    const high = Math.floor(us / TWO_TO_32);
    at = array.writeInt32BE(TIME_BYTES, at);
    at = array.writeInt32BE(high, at);
    at = array.writeUInt32BE(us - high * TWO_TO_32, at);
  }
  return at === array.length ? array : array.subarray(0, at);
}

export function uuidArray(ids: readonly string[]): Buffer {
  const array = open(UUID, ids.length, UUID_BYTES);
  let at = HEADER_BYTES;
  let last = '';
  for (const id of ids) {
    // A group is often of one account.
    if (id === last) array.copyWithin(at, at - LENGTH_BYTES - UUID_BYTES, at);
    else {
      array.writeInt32BE(UUID_BYTES, at);
      writeUuid(array, at + LENGTH_BYTES, id);
      last = id;
    }
    at += LENGTH_BYTES + UUID_BYTES;
  }
  return array;
}

/** Places of a uuid's bytes in its text: RFC 9562 §4. */
const PLACES = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
const UUID_CHARS = 36;
const DASH = 0x2d;
const CODES = 0x80;
/** Of a character's code: the upper and the lower half of a byte. */
const NO_DIGIT = 0x100;
const UPPER = new Uint16Array(CODES).fill(NO_DIGIT);
const LOWER = new Uint16Array(CODES).fill(NO_DIGIT);
for (const [digit, text] of [...'0123456789abcdef'].entries())
  for (const code of [text.charCodeAt(0), text.toUpperCase().charCodeAt(0)]) {
    UPPER[code] = digit << 4;
    LOWER[code] = digit;
  }

/** PostgreSQL takes any sixteen bytes: what is no uuid must not become one. */
function writeUuid(array: Buffer, at: number, id: string): void {
  if (id.length !== UUID_CHARS) throw notUuid(id);
  let codes = 0;
  let bytes = 0;
  for (let n = 0; n < UUID_BYTES; n++) {
    const place = PLACES[n]!;
    const first = id.charCodeAt(place);
    const second = id.charCodeAt(place + 1);
    const byte = UPPER[first % CODES]! | LOWER[second % CODES]!;
    codes |= first | second;
    bytes |= byte;
    array[at + n] = byte;
  }
  if (codes >= CODES || bytes >= NO_DIGIT || !hasDashes(id)) throw notUuid(id);
}

function hasDashes(id: string): boolean {
  return (
    id.charCodeAt(8) === DASH &&
    id.charCodeAt(13) === DASH &&
    id.charCodeAt(18) === DASH &&
    id.charCodeAt(23) === DASH
  );
}

function notUuid(id: string): RangeError {
  return new RangeError(`not a uuid: ${JSON.stringify(id)}`);
}
