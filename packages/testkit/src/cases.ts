/** How many times the usual number of cases generative tests make up. */
const TIMES = Number(process.env['ACUSE_TEST_CASES'] ?? 1);

/** How many of `usual` cases an ordinary run makes: ACUSE_TEST_CASES, at least one. */
export function casesOf(usual: number): number {
  return Math.max(1, Math.round(usual * TIMES));
}

/** Every how many-th of all there is to try, when it is every `usual`-th in a run that everybody makes. */
export function strideOf(usual: number): number {
  return Math.max(1, Math.round(usual / TIMES));
}
