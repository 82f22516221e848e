/** Writing DER: as much as a time-stamp request takes. X.690 §10. */
import { concat } from '../bytes.ts';
import { TAG } from './der.ts';

export function encode(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = concat(...contents);
  const length: number[] = [];
  if (content.length < 0x80) length.push(content.length);
  else {
    for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) length.unshift(rest % 256);
    length.unshift(0x80 | length.length);
  }
  return concat(Uint8Array.of(tag, ...length), content);
}

export const encodeSequence = (...elements: readonly Uint8Array[]): Uint8Array =>
  encode(TAG.sequence, ...elements);

/** INTEGER from a big-endian magnitude, which may have leading zeros. */
export function encodeUnsigned(magnitude: Uint8Array): Uint8Array {
  let start = 0;
  while (start < magnitude.length && magnitude[start] === 0) start++;
  const bytes = magnitude.subarray(start);
  const sign = bytes.length === 0 || bytes[0]! >= 0x80 ? Uint8Array.of(0) : new Uint8Array(0);
  return encode(TAG.integer, sign, bytes);
}

const DOTTED = /^[0-2](\.(0|[1-9]\d{0,39})){1,31}$/;

/** OBJECT IDENTIFIER from dotted decimal; undefined if it is not one. X.690 §8.19. */
export function encodeOid(dotted: string): Uint8Array | undefined {
  if (!DOTTED.test(dotted)) return undefined;
  const [root, second, ...rest] = dotted.split('.').map(BigInt) as [bigint, bigint, ...bigint[]];
  if (root < 2n && second > 39n) return undefined;
  const octets = [40n * root + second, ...rest].flatMap(base128);
  return encode(TAG.oid, Uint8Array.from(octets));
}

function base128(arc: bigint): number[] {
  const out = [Number(arc % 128n)];
  for (let rest = arc / 128n; rest > 0n; rest /= 128n) out.unshift(0x80 | Number(rest % 128n));
  return out;
}
