/** Numbers that are always the same for the same seed: a mutant that slips through can be made again. */
export interface Random {
  /** 0 ≤ n < bound, whole. */
  below(bound: number): number;
  /** One of them; there must be one. */
  pick<T>(list: readonly T[]): T;
}

/** xorshift32 (Marsaglia 2003), spread over the seed's bits first. */
export function seededRandom(seed: number): Random {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  const below = (bound: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
  return { below, pick: (list) => list[below(list.length)]! };
}
