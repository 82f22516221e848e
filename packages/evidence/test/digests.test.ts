import { expect, test } from 'vitest';
import { DIGESTED_FROM_BYTES, withDigests } from '../src/digests.ts';
import { sha256 } from './support.ts';

test('what is large is hashed by the digest, once, and everything else as before', async () => {
  const large = new Uint8Array(DIGESTED_FROM_BYTES).fill(1);
  const small = new Uint8Array(DIGESTED_FROM_BYTES - 1).fill(2);
  const [digested, hashed]: number[][] = [[], []];
  const hash = (bytes: Uint8Array) => {
    hashed!.push(bytes.length);
    return sha256(bytes);
  };
  const digest = async (bytes: Uint8Array) => {
    digested!.push(bytes.length);
    return sha256(bytes);
  };
  const quick = await withDigests(hash, digest, [large, small]);
  for (const bytes of [large, large, small]) expect(quick(bytes)).toEqual(sha256(bytes));
  expect([digested, hashed]).toEqual([[large.length], [small.length]]);
  // Another array is other bytes, whatever is in it.
  const copy = large.slice();
  copy[0] = 3;
  expect(quick(copy)).toEqual(sha256(copy));
  expect(hashed).toEqual([small.length, large.length]);
  expect(await withDigests(hash, undefined, [large])).toBe(hash);
});
