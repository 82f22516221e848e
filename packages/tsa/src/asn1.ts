/** DER that only the issuing side writes, over the encoder that requests use. X.690 §10, §11. */
import { utf8 } from '@acuse/evidence/bytes';
import { context, TAG } from '@acuse/evidence/timestamp/der';
import { encode, encodeOid, encodeSequence, encodeUnsigned } from '@acuse/evidence/timestamp/encode';

/** OBJECT IDENTIFIER from an OID that the program itself states. */
export function oid(dotted: string): Uint8Array {
  const der = encodeOid(dotted);
  if (der === undefined) throw new RangeError(`${JSON.stringify(dotted)} is not an OID`);
  return der;
}

export const integer = (value: number): Uint8Array => {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a count`);
  const octets = [...value.toString(16).padStart(14, '0').matchAll(/../g)].map(([pair]) =>
    Number.parseInt(pair, 16),
  );
  return encodeUnsigned(Uint8Array.from(octets));
};

export const boolean = (value: boolean): Uint8Array => encode(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
export const octetString = (bytes: Uint8Array): Uint8Array => encode(TAG.octetString, bytes);
export const utf8String = (text: string): Uint8Array => encode(TAG.utf8String, utf8(text));
export const nothing = new Uint8Array(0);

/** [n] EXPLICIT, or IMPLICIT over something constructed. */
export const tagged = (n: number, ...contents: Uint8Array[]): Uint8Array => encode(context(n), ...contents);
export const taggedPrimitive = (n: number, content: Uint8Array): Uint8Array =>
  encode(context(n, false), content);

/** The members of a SET OF in the order that DER wants. X.690 §11.6. */
export function sorted(members: readonly Uint8Array[]): Uint8Array[] {
  return [...members].sort((a, b) => Buffer.compare(a, b));
}

export const setOf = (...members: Uint8Array[]): Uint8Array => encode(TAG.set, ...sorted(members));

/** BIT STRING of whole octets. */
export const bitString = (bytes: Uint8Array): Uint8Array => encode(TAG.bitString, Uint8Array.of(0), bytes);

/** A named bit list: trailing zero bits are not written. X.690 §11.2.2. */
export function bitList(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits, -1);
  const octets = new Uint8Array(Math.ceil((last + 1) / 8));
  for (const bit of bits) octets[bit >> 3]! |= 0x80 >> (bit & 7);
  return encode(TAG.bitString, Uint8Array.of(8 * octets.length - (last + 1)), octets);
}

/** AlgorithmIdentifier; `parameters`: absent unless given. */
export const algorithm = (dotted: string, parameters: Uint8Array = nothing): Uint8Array =>
  encodeSequence(oid(dotted), parameters);
export const NULL = encode(TAG.null);

/** GeneralizedTime in UTC; a fraction without trailing zeros. RFC 3161 §2.4.2. */
export function generalizedTime(time: Date): Uint8Array {
  const [whole, fraction] = time.toISOString().replace('Z', '').split('.') as [string, string];
  // Three figures: the milliseconds of toISOString.
  const rest = fraction.replace(/0{1,3}$/, '');
  return encode(TAG.generalizedTime, utf8(`${whole.replace(/[-:T]/g, '')}${rest === '' ? '' : `.${rest}`}Z`));
}

/** Whole seconds; UTCTime until 2049 and GeneralizedTime from then on. RFC 5280 §4.1.2.5. */
export function certificateTime(time: Date): Uint8Array {
  const seconds = new Date(Math.floor(time.getTime() / 1000) * 1000);
  const year = seconds.getUTCFullYear();
  if (year < 1950 || year >= 2050) return generalizedTime(seconds);
  return encode(TAG.utcTime, utf8(`${seconds.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

export const sequence = encodeSequence;
