/**
 * DEFLATE (RFC 1951), as strict as zlib: sets of codes that are over-subscribed or incomplete, distances
 * before the first byte and data after the last block are refused. A lenient decoder reads what others call
 * damaged, and two verifiers of one file disagree.
 */

/** How compressed data fails. */
export type InflateFault = 'damaged' | 'larger' | 'smaller' | 'followed';

export class InflateError extends Error {
  readonly fault: InflateFault;

  constructor(fault: InflateFault) {
    super(`compressed data is ${fault}`);
    this.name = 'InflateError';
    this.fault = fault;
  }
}

const CODE_BITS_MAX = 15;
/** Codes of at most so many bits are found by one look into a table. */
const FAST_BITS = 9;
const FAST_MASK = (1 << FAST_BITS) - 1;
const BITS_MASK = 15;

const END_OF_BLOCK = 256;
const LITERALS_MAX = 286;
const DISTANCES_MAX = 30;
/** RFC 1951 §3.2.7 */
const ORDER_OF_LENGTHS = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** RFC 1951 §3.2.5: of symbols from 257. */
const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];

/** Canonical codes: how many there are of each length, and their symbols in order. */
type Codes = {
  counts: Uint16Array;
  symbols: Uint16Array;
  /** By the next bits: symbol and length, or 0. */
  fast: Uint16Array;
};

/**
 * The `size` bytes that are compressed in all of `packed`. Throws InflateError. Holds nothing beyond them,
 * whatever the data says.
 */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  const bits = new Bits(packed);
  const out = new Output(size);
  let isLast = false;
  while (!isLast) {
    isLast = bits.take(1) === 1;
    const kind = bits.take(2);
    if (kind === 0) copyStored(bits, out);
    else if (kind === 1) decode(bits, out, FIXED_LITERALS, FIXED_DISTANCES);
    else if (kind === 2) {
      const { literals, distances } = readCodes(bits);
      decode(bits, out, literals, distances);
    } else throw new InflateError('damaged');
  }
  if (out.at !== size) throw new InflateError('smaller');
  if (!bits.isAtEnd()) throw new InflateError('followed');
  return out.bytes;
}

/** The lowest bit of each byte first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next `count` bits (at most 16), the first of them lowest. */
  take(count: number): number {
    this.#fill(count);
    if (this.#count < count) throw new InflateError('damaged');
    const value = this.#held & ((1 << count) - 1);
    this.#drop(count);
    return value;
  }

  symbol({ counts, symbols, fast }: Codes): number {
    this.#fill(CODE_BITS_MAX);
    const found = fast[this.#held & FAST_MASK]!;
    const length = found & BITS_MASK;
    if (found !== 0 && length <= this.#count) {
      this.#drop(length);
      return found >> 4;
    }
    let code = 0;
    let first = 0;
    let index = 0;
    for (let bit = 1; bit <= CODE_BITS_MAX && bit <= this.#count; bit++) {
      code |= (this.#held >> (bit - 1)) & 1;
      const count = counts[bit]!;
      if (code - count < first) {
        this.#drop(bit);
        return symbols[index + code - first]!;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new InflateError('damaged');
  }

  /** Whole bytes, from the next byte without a taken bit. */
  bytes(count: number): Uint8Array {
    this.#at -= this.#count >> 3;
    this.#held = 0;
    this.#count = 0;
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new InflateError('damaged');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** True: what is left are bits of the last byte. */
  isAtEnd(): boolean {
    return this.#at - (this.#count >> 3) === this.#bytes.length;
  }

  #fill(count: number): void {
    while (this.#count < count && this.#at < this.#bytes.length) {
      this.#held |= this.#bytes[this.#at++]! << this.#count;
      this.#count += 8;
    }
  }

  #drop(count: number): void {
    this.#held >>>= count;
    this.#count -= count;
  }
}

class Output {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  add(byte: number): void {
    this.room(1);
    this.bytes[this.at++] = byte;
  }

  addAll(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** Copies earlier bytes, which may overlap with those that it writes. */
  repeat(distance: number, length: number): void {
    if (distance > this.at) throw new InflateError('damaged');
    this.room(length);
    const { bytes } = this;
    let at = this.at;
    for (const end = at + length; at < end; at++) bytes[at] = bytes[at - distance]!;
    this.at = at;
  }

  private room(length: number): void {
    if (this.at + length > this.bytes.length) throw new InflateError('larger');
  }
}

function copyStored(bits: Bits, out: Output): void {
  const [low, high, notLow, notHigh] = bits.bytes(4) as unknown as [number, number, number, number];
  if (low !== (~notLow & 0xff) || high !== (~notHigh & 0xff)) throw new InflateError('damaged');
  out.addAll(bits.bytes(low | (high << 8)));
}

function decode(bits: Bits, out: Output, literals: Codes, distances: Codes): void {
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol < END_OF_BLOCK) out.add(symbol);
    else if (symbol === END_OF_BLOCK) return;
    else {
      const length = extended(bits, symbol - END_OF_BLOCK - 1, LENGTH_BASE, LENGTH_EXTRA);
      out.repeat(extended(bits, bits.symbol(distances), DISTANCE_BASE, DISTANCE_EXTRA), length);
    }
  }
}

function extended(bits: Bits, symbol: number, base: readonly number[], extra: readonly number[]): number {
  const from = base[symbol];
  if (from === undefined) throw new InflateError('damaged');
  return from + bits.take(extra[symbol]!);
}

/** RFC 1951 §3.2.7 */
function readCodes(bits: Bits): { literals: Codes; distances: Codes } {
  const literals = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  if (literals > LITERALS_MAX || distances > DISTANCES_MAX) throw new InflateError('damaged');
  const ofLengths = new Uint8Array(ORDER_OF_LENGTHS.length);
  const given = bits.take(4) + 4;
  for (let i = 0; i < given; i++) ofLengths[ORDER_OF_LENGTHS[i]!] = bits.take(3);
  const lengths = readLengths(bits, codesOf(ofLengths, false), literals + distances);
  if (lengths[END_OF_BLOCK] === 0) throw new InflateError('damaged');
  return {
    literals: codesOf(lengths.subarray(0, literals), true),
    distances: codesOf(lengths.subarray(literals), true),
  };
}

function readLengths(bits: Bits, codes: Codes, count: number): Uint8Array {
  const lengths = new Uint8Array(count);
  for (let at = 0; at < count; ) {
    const symbol = bits.symbol(codes);
    if (symbol < 16) {
      lengths[at++] = symbol;
      continue;
    }
    if (symbol === 16 && at === 0) throw new InflateError('damaged');
    const length = symbol === 16 ? lengths[at - 1]! : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (at + times > count) throw new InflateError('damaged');
    lengths.fill(length, at, at + times);
    at += times;
  }
  return lengths;
}

/**
 * Each sequence of bits must be a code or begin with one, as in zlib. Only a set without codes, or with
 * `loneAllowed` a set whose longest code has one bit, may leave sequences without a code.
 */
function codesOf(lengths: Uint8Array, loneAllowed: boolean): Codes {
  const counts = new Uint16Array(CODE_BITS_MAX + 1);
  for (const length of lengths) counts[length]!++;
  counts[0] = 0;
  let left = 1;
  let longest = 0;
  const from = new Uint16Array(CODE_BITS_MAX + 2);
  const nextCode = new Uint16Array(CODE_BITS_MAX + 2);
  for (let bit = 1; bit <= CODE_BITS_MAX; bit++) {
    const count = counts[bit]!;
    left = left * 2 - count;
    if (left < 0) throw new InflateError('damaged');
    if (count > 0) longest = bit;
    from[bit + 1] = from[bit]! + count;
    nextCode[bit + 1] = (nextCode[bit]! + count) << 1;
  }
  if (left > 0 && longest !== 0 && !(loneAllowed && longest === 1)) throw new InflateError('damaged');
  const symbols = new Uint16Array(lengths.length);
  const fast = new Uint16Array(1 << FAST_BITS);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length === 0) continue;
    symbols[from[length]!++] = symbol;
    const code = nextCode[length]!++;
    if (length > FAST_BITS) continue;
    for (let bits = reversed(code, length); bits <= FAST_MASK; bits += 1 << length)
      fast[bits] = (symbol << 4) | length;
  }
  return { counts, symbols, fast };
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let bit = 0; bit < length; bit++) bits |= ((code >> bit) & 1) << (length - 1 - bit);
  return bits;
}

/** RFC 1951 §3.2.6 */
const FIXED_LITERALS = codesOf(
  Uint8Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  ),
  false,
);
const FIXED_DISTANCES = codesOf(new Uint8Array(32).fill(5), false);
