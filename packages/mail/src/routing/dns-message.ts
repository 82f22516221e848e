/**
 * DNS messages on the wire, as far as mail needs them. Pure; a hostile message is null, never an exception or
 * a loop. RFC 1035 §4
 */

/** The record types that mail asks for. */
export const DNS_TYPES = { A: 1, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28, TLSA: 52 } as const;
export type DnsType = 'A' | 'AAAA' | 'MX' | 'TXT' | 'TLSA';

export interface MxRecord {
  readonly preference: number;
  /** Without the final dot, lower case; empty for the root. */
  readonly exchange: string;
}

/** A TLSA record. RFC 6698 §2.1 */
export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matching: number;
  readonly data: Uint8Array;
}

/** The data of each type's records; TXT as its strings joined. */
export interface DnsData {
  A: string;
  AAAA: string;
  MX: MxRecord;
  TXT: string;
  TLSA: TlsaRecord;
}

/**
 * An answer to one question. `ttlSeconds`: of the records or, without any, of their absence (RFC 2308 §5).
 */
export interface DnsAnswer<T> {
  readonly rcode: number;
  readonly truncated: boolean;
  /** The resolver validated it by DNSSEC and says so. RFC 6840 §5.8 */
  readonly authenticated: boolean;
  readonly records: readonly T[];
  readonly ttlSeconds: number;
}

export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;

/** UDP payload that fits any path unfragmented. DNS Flag Day 2020 */
const UDP_PAYLOAD_BYTES = 1_232;
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
/** Records read in one message. */
const MAX_RECORDS = 500;
/** Links of a CNAME chain that are followed. */
const MAX_CNAMES = 12;
const HEADER_BYTES = 12;
const CLASS_IN = 1;
const TYPE_OPT = 41;
const FLAG_RESPONSE = 0x8000;
const FLAG_TRUNCATED = 0x0200;
const FLAG_RECURSION = 0x0100;
const FLAG_AUTHENTIC = 0x0020;

/**
 * A question with recursion, and AD set to learn about validation (RFC 6840 §5.7); null for a name that is
 * malformed.
 */
export function encodeQuery(id: number, name: string, type: DnsType): Uint8Array | null {
  const encoded = encodeName(name);
  if (encoded === null) return null;
  const out = Buffer.alloc(HEADER_BYTES + encoded.length + 4 + 11);
  out.writeUInt16BE(id, 0);
  out.writeUInt16BE(FLAG_RECURSION | FLAG_AUTHENTIC, 2);
  out.writeUInt16BE(1, 4);
  out.writeUInt16BE(1, 10);
  out.set(encoded, HEADER_BYTES);
  let at = HEADER_BYTES + encoded.length;
  at = out.writeUInt16BE(DNS_TYPES[type], at);
  at = out.writeUInt16BE(CLASS_IN, at);
  // OPT, for the payload size. RFC 6891 §6.1.2
  at = out.writeUInt8(0, at);
  at = out.writeUInt16BE(TYPE_OPT, at);
  out.writeUInt16BE(UDP_PAYLOAD_BYTES, at);
  return out;
}

/** Lower-case wire form of a name in A-labels; null if it cannot be one. */
function encodeName(name: string): Uint8Array | null {
  const text = name.toLowerCase().replace(/\.$/, '');
  if (text === '' || !/^[\x21-\x7e]+$/.test(text)) return null;
  const parts: Uint8Array[] = [];
  for (const label of text.split('.')) {
    if (label.length === 0 || label.length > MAX_LABEL_BYTES) return null;
    parts.push(Uint8Array.of(label.length), Buffer.from(label, 'latin1'));
  }
  const out = Buffer.concat([...parts, Uint8Array.of(0)]);
  return out.length > MAX_NAME_BYTES ? null : out;
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly type: DnsType;
}

/** Reads the answer to this question; null if it is malformed or answers another. */
export function decodeAnswer<T extends DnsType>(
  bytes: Uint8Array,
  question: Question & { readonly type: T },
): DnsAnswer<DnsData[T]> | null {
  try {
    return new Reader(bytes).answer(question);
  } catch (error) {
    // Offsets beyond the end: what a cut or forged message makes.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface RawRecord {
  readonly owner: string;
  readonly type: number;
  readonly ttlSeconds: number;
  readonly start: number;
  readonly end: number;
}

class Reader {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  answer<T extends DnsType>(question: Question & { readonly type: T }): DnsAnswer<DnsData[T]> | null {
    const bytes = this.#bytes;
    const flags = bytes.readUInt16BE(2);
    if (bytes.readUInt16BE(0) !== question.id || (flags & FLAG_RESPONSE) === 0) return null;
    const questions = bytes.readUInt16BE(4);
    if (questions !== 1) return null;
    const asked = this.#name(HEADER_BYTES);
    const name = question.name.toLowerCase().replace(/\.$/, '');
    if (asked === null || asked.name !== name) return null;
    if (bytes.readUInt16BE(asked.end) !== DNS_TYPES[question.type]) return null;
    let at: number | null = asked.end + 4;
    const answers: RawRecord[] = [];
    const authority: RawRecord[] = [];
    for (const [section, offset] of [
      [answers, 6],
      [authority, 8],
    ] as const) {
      const count = bytes.readUInt16BE(offset);
      if (count > MAX_RECORDS) return null;
      for (let i = 0; i < count && at !== null; i += 1) {
        const record = this.#record(at);
        if (record === null) return null;
        section.push(record);
        at = record.end;
      }
    }
    const { owner, chainTtl } = this.#followCnames(name, answers);
    const wanted = answers.filter((one) => one.type === DNS_TYPES[question.type] && one.owner === owner);
    const records = wanted.flatMap((one) => this.#data(question.type, one) ?? []) as DnsData[T][];
    const ttls = [...chainTtl, ...wanted.map((one) => one.ttlSeconds)];
    return {
      rcode: flags & 0x0f,
      truncated: (flags & FLAG_TRUNCATED) !== 0,
      authenticated: (flags & FLAG_AUTHENTIC) !== 0,
      records,
      ttlSeconds: records.length > 0 ? Math.min(...ttls) : this.#negativeTtl(authority),
    };
  }

  #record(at: number): RawRecord | null {
    const owner = this.#name(at);
    if (owner === null) return null;
    const type = this.#bytes.readUInt16BE(owner.end);
    const ttl = this.#bytes.readUInt32BE(owner.end + 4);
    const start = owner.end + 10;
    const end = start + this.#bytes.readUInt16BE(owner.end + 8);
    if (end > this.#bytes.length) return null;
    // A TTL with its top bit set is zero. RFC 2181 §8
    return { owner: owner.name, type, ttlSeconds: ttl > 0x7fffffff ? 0 : ttl, start, end };
  }

  #followCnames(name: string, answers: readonly RawRecord[]): { owner: string; chainTtl: number[] } {
    let owner = name;
    const chainTtl: number[] = [];
    for (let i = 0; i < MAX_CNAMES; i += 1) {
      const link = answers.find((one) => one.type === DNS_TYPES.CNAME && one.owner === owner);
      const target = link === undefined ? null : this.#name(link.start);
      if (link === undefined || target === null) break;
      chainTtl.push(link.ttlSeconds);
      owner = target.name;
    }
    return { owner, chainTtl };
  }

  /** The lesser of the SOA's TTL and its minimum; without an SOA the absence is not kept. RFC 2308 §5 */
  #negativeTtl(authority: readonly RawRecord[]): number {
    const soa = authority.find((one) => one.type === DNS_TYPES.SOA);
    if (soa === undefined || soa.end - soa.start < 20) return 0;
    return Math.min(soa.ttlSeconds, this.#bytes.readUInt32BE(soa.end - 4));
  }

  #data(type: DnsType, record: RawRecord): DnsData[DnsType] | null {
    const bytes = this.#bytes.subarray(record.start, record.end);
    switch (type) {
      case 'A':
        return bytes.length === 4 ? bytes.join('.') : null;
      case 'AAAA':
        return bytes.length === 16 ? ipv6Text(bytes) : null;
      case 'MX': {
        const exchange = bytes.length < 3 ? null : this.#name(record.start + 2);
        return exchange === null ? null : { preference: bytes.readUInt16BE(0), exchange: exchange.name };
      }
      case 'TXT':
        return txtText(bytes);
      case 'TLSA':
        if (bytes.length < 4) return null;
        return {
          usage: bytes[0]!,
          selector: bytes[1]!,
          matching: bytes[2]!,
          data: new Uint8Array(bytes.subarray(3)),
        };
    }
  }

  /**
   * Reads a name, following compression pointers, which must point backwards, so that they end. RFC 1035
   * §4.1.4
   */
  #name(start: number): { name: string; end: number } | null {
    const labels: string[] = [];
    let at = start;
    let end: number | null = null;
    let lowest = start;
    let length = 0;
    for (;;) {
      const size = this.#bytes.readUInt8(at);
      if (size === 0) return { name: labels.join('.'), end: end ?? at + 1 };
      if (size >= 0xc0) {
        const target = this.#bytes.readUInt16BE(at) & 0x3fff;
        end ??= at + 2;
        if (target >= lowest) return null;
        lowest = target;
        at = target;
        continue;
      }
      length += size + 1;
      if (size > MAX_LABEL_BYTES || length > MAX_NAME_BYTES || at + 1 + size > this.#bytes.length)
        return null;
      // A dot inside a label would turn it into another name.
      const label = this.#bytes.toString('latin1', at + 1, at + 1 + size).toLowerCase();
      labels.push(label.replace(/[.\\]/g, '\\$&'));
      at += 1 + size;
    }
  }
}

function txtText(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]!) {
    parts.push(bytes.subarray(at + 1, at + 1 + bytes[at]!));
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The form of RFC 5952 §4. */
function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  const zeros = [...groups.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].sort(
    (a, b) => b[0].length - a[0].length,
  )[0];
  const text = groups.join(':');
  if (zeros === undefined) return text;
  const head = text.slice(0, zeros.index);
  const tail = text.slice(zeros.index + zeros[0].length).replace(/^:/, '');
  return `${head}::${tail}`;
}
