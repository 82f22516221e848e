import { largestPowerOfTwoBelow, nodeHash } from '../src/merkle.ts';
import { sha256 } from './support.ts';

/**
 * The definitions of RFC 6962 §2.1 word for word: slow, and nothing to misunderstand. `leafAt`: the leaf's
 * hash.
 */
export interface Oracle {
  /** MTH(D[start:end]). RFC 6962 §2.1 */
  mth(start: number, end: number): Uint8Array;
  /** PATH(m, D[start:end]). RFC 6962 §2.1.1 */
  path(m: number, start: number, end: number): Uint8Array[];
  /** SUBPROOF(m, D[start:end], b). RFC 6962 §2.1.2 */
  subproof(m: number, start: number, end: number, b: boolean): Uint8Array[];
}

/** `rememberFrom`: hashes over at least so many leaves are computed once. */
export function oracleOf(leafAt: (index: number) => Uint8Array, rememberFrom: number): Oracle {
  const known = new Map<string, Uint8Array>();

  function mth(start: number, end: number): Uint8Array {
    if (end - start < rememberFrom) return computeMth(start, end);
    const key = `${start}:${end}`;
    const hash = known.get(key) ?? computeMth(start, end);
    known.set(key, hash);
    return hash;
  }

  function computeMth(start: number, end: number): Uint8Array {
    if (start === end) return sha256(new Uint8Array());
    if (end - start === 1) return leafAt(start);
    const k = start + largestPowerOfTwoBelow(end - start);
    return nodeHash(mth(start, k), mth(k, end), sha256);
  }

  function path(m: number, start: number, end: number): Uint8Array[] {
    if (end - start === 1) return [];
    const k = start + largestPowerOfTwoBelow(end - start);
    return m < k ? [...path(m, start, k), mth(k, end)] : [...path(m, k, end), mth(start, k)];
  }

  function subproof(m: number, start: number, end: number, b: boolean): Uint8Array[] {
    if (m === end) return b ? [] : [mth(start, end)];
    const k = start + largestPowerOfTwoBelow(end - start);
    return m <= k
      ? [...subproof(m, start, k, b), mth(k, end)]
      : [...subproof(m, k, end, false), mth(start, k)];
  }

  return { mth, path, subproof };
}
