export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** The nearest candidate, if near enough. */
export function didYouMean(written: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(written.length / 4));
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(written, candidate) }))
    .filter(({ distance }) => distance <= limit);
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}
