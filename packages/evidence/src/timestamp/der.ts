/**
 * A lazy reader of strict DER (X.690 §10): definite minimal lengths, single-octet tags, no byte unaccounted
 * for. It descends only when told to, so nested bytes of an attacker cost nothing here; every reader says
 * what it expects and throws DerError.
 */
import { toHex } from '../bytes.ts';
import { EvidenceError } from '../errors.ts';

/** Bytes over an ordinary buffer, as WebCrypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The one failure of this folder's readers: the bytes are not what the format says. */
export class DerError extends EvidenceError {
  constructor(detail: string, options?: { cause?: unknown }) {
    super('encoding', detail, options);
    this.name = 'DerError';
  }
}

/** One element: `bytes` is all of it, `content` what its length covers. */
export interface DerNode {
  readonly tag: number;
  readonly bytes: Bytes;
  readonly content: Bytes;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context tag [n]: constructed unless said otherwise. */
export const context = (n: number, constructed = true): number => (constructed ? 0xa0 : 0x80) | n;

/** Elements in one SEQUENCE or SET; the longest honest one here is a certificate's list of extensions. */
const MAX_CHILDREN = 256;
/** Octets of one OBJECT IDENTIFIER; the longest in use have under 20. */
const MAX_OID_BYTES = 64;
const MAX_LENGTH_OCTETS = 4;

export function readElement(input: Bytes, what: string): DerNode {
  const tag = input[0];
  const first = input[1];
  if (tag === undefined || first === undefined) throw new DerError(`${what}: ends inside an element`);
  if ((tag & 0x1f) === 0x1f) throw new DerError(`${what}: multi-octet tag`);
  let header = 2;
  let length = first;
  if (first & 0x80) {
    const octets = first & 0x7f;
    if (octets === 0) throw new DerError(`${what}: indefinite length (BER, not DER)`);
    if (octets > MAX_LENGTH_OCTETS) throw new DerError(`${what}: length of ${octets} octets`);
    length = 0;
    for (let i = 0; i < octets; i++) length = length * 256 + (input[header + i] ?? 0);
    header += octets;
    if (length < 0x80 || length < 256 ** (octets - 1)) throw new DerError(`${what}: length is not minimal`);
  }
  if (header + length > input.length) throw new DerError(`${what}: ends inside an element`);
  return { tag, bytes: input.subarray(0, header + length), content: input.subarray(header, header + length) };
}

/** Reads exactly one element: trailing bytes are an error. */
export function readWhole(input: Bytes, what: string): DerNode {
  const node = readElement(input, what);
  if (node.bytes.length !== input.length) {
    throw new DerError(`${what}: ${input.length - node.bytes.length} trailing bytes`);
  }
  return node;
}

export function expectTag(node: DerNode, tag: number, what: string): DerNode {
  if (node.tag !== tag) {
    throw new DerError(`${what}: tag 0x${node.tag.toString(16)}, expected 0x${tag.toString(16)}`);
  }
  return node;
}

/** The elements directly inside a constructed one. */
export function children(node: DerNode, what: string): DerNode[] {
  if ((node.tag & 0x20) === 0) throw new DerError(`${what}: primitive, expected constructed`);
  const out: DerNode[] = [];
  for (let rest = node.content; rest.length > 0; ) {
    if (out.length === MAX_CHILDREN) throw new DerError(`${what}: more than ${MAX_CHILDREN} elements`);
    const child = readElement(rest, what);
    out.push(child);
    rest = rest.subarray(child.bytes.length);
  }
  return out;
}

/** Walks the fields of a SEQUENCE in order; `end` refuses what nobody asked for. */
export class Fields {
  readonly #nodes: DerNode[];
  readonly #what: string;
  #at = 0;

  constructor(node: DerNode, what: string, tag: number = TAG.sequence) {
    this.#nodes = children(expectTag(node, tag, what), what);
    this.#what = what;
  }

  next(tag: number, field: string): DerNode {
    return expectTag(this.any(field), tag, `${this.#what}.${field}`);
  }

  any(field: string): DerNode {
    const node = this.maybe();
    if (node === undefined) throw new DerError(`${this.#what}: ${field} is missing`);
    return node;
  }

  optional(...tags: number[]): DerNode | undefined {
    const node = this.#nodes[this.#at];
    if (node === undefined || !tags.includes(node.tag)) return undefined;
    this.#at++;
    return node;
  }

  /** The next element whatever its tag, if there is one. */
  maybe(): DerNode | undefined {
    return this.#nodes[this.#at++];
  }

  end(): void {
    const node = this.#nodes[this.#at];
    if (node !== undefined) {
      throw new DerError(`${this.#what}: unexpected element, tag 0x${node.tag.toString(16)}`);
    }
  }
}

/** The one element inside an explicitly tagged one. */
export function unwrap(node: DerNode, what: string): DerNode {
  return readWhole(node.content, what);
}

/** Dotted decimal, of any arc (2.25 ones have 128 bits). X.690 §8.19. */
export function readOid(node: DerNode, what: string): string {
  const { content } = expectTag(node, TAG.oid, what);
  if (content.length === 0 || content.length > MAX_OID_BYTES) {
    throw new DerError(`${what}: OID of ${content.length} bytes`);
  }
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of content) {
    if (arc === 0n && byte === 0x80) throw new DerError(`${what}: OID arc is not minimal`);
    arc = arc * 128n + BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0n;
  }
  if (content.at(-1)! & 0x80) throw new DerError(`${what}: OID ends inside an arc`);
  const [first, ...rest] = arcs as [bigint, ...bigint[]];
  const root = first >= 80n ? 2n : first / 40n;
  return [root, first - 40n * root, ...rest].join('.');
}

/** The minimal two's complement octets of an INTEGER. */
export function readInteger(node: DerNode, what: string): Bytes {
  const { content } = expectTag(node, TAG.integer, what);
  const [first, second] = content;
  if (first === undefined) throw new DerError(`${what}: empty INTEGER`);
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new DerError(`${what}: INTEGER is not minimal`);
  }
  return content;
}

/** Big-endian magnitude without leading zeros (zero is empty); negative ones are an error. */
export function readUnsigned(node: DerNode, what: string): Bytes {
  const content = readInteger(node, what);
  if (content[0]! >= 0x80) throw new DerError(`${what}: negative INTEGER`);
  return content[0] === 0 ? content.subarray(1) : content;
}

/** A non-negative INTEGER below 2^31. */
export function readSmall(node: DerNode, what: string): number {
  const bytes = readUnsigned(node, what);
  if (bytes.length > 4) throw new DerError(`${what}: INTEGER over 2^31`);
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  if (value > 0x7fffffff) throw new DerError(`${what}: INTEGER over 2^31`);
  return value;
}

/** DER: 00 or ff. X.690 §11.1. */
export function readBoolean(node: DerNode, what: string): boolean {
  const { content } = expectTag(node, TAG.boolean, what);
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) {
    throw new DerError(`${what}: BOOLEAN is not DER`);
  }
  return content[0] === 0xff;
}

/** The octets of a BIT STRING without unused bits, as signatures and keys have. */
export function readBitOctets(node: DerNode, what: string): Bytes {
  const { content } = expectTag(node, TAG.bitString, what);
  if (content[0] !== 0) throw new DerError(`${what}: BIT STRING of part octets`);
  return content.subarray(1);
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/;

/**
 * UTCTime or GeneralizedTime in UTC, with seconds; a fraction is cut to milliseconds. RFC 5280 §4.1.2.5, RFC
 * 3161 §2.4.2.
 */
export function readTime(node: DerNode, what: string): Date {
  const text = Array.from(node.content.subarray(0, 32), (byte) => String.fromCharCode(byte)).join('');
  const utc = node.tag === TAG.utcTime;
  const match = utc
    ? UTC_TIME.exec(text)
    : node.tag === TAG.generalizedTime
      ? GENERALIZED_TIME.exec(text)
      : null;
  if (match === null || text.length !== node.content.length) throw new DerError(`${what}: not a UTC time`);
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = match[7] ?? '';
  if (fraction.endsWith('0')) throw new DerError(`${what}: fraction ends in zero`);
  const fullYear = utc ? (year < 50 ? 2000 + year : 1900 + year) : year;
  const time = new Date(0);
  time.setUTCFullYear(fullYear, month - 1, day);
  time.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  const sound = time.getUTCMonth() === month - 1 && time.getUTCDate() === day && time.getUTCHours() === hour;
  if (!sound || time.getUTCMinutes() !== minute || time.getUTCSeconds() !== second) {
    throw new DerError(`${what}: no such time`);
  }
  return time;
}

/** INTEGER magnitude as lower-case hex; "00" for zero. */
export function unsignedHex(magnitude: Uint8Array): string {
  return magnitude.length === 0 ? '00' : toHex(magnitude);
}

/** Big-endian bytes without leading zero octets. */
export function stripZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}
