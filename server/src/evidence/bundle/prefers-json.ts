/** True if Accept ranks application/json above application/zip. RFC 9110 §12.5.1 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return qualityOf(accept, 'application/json') > qualityOf(accept, 'application/zip');
}

/** The q of the most specific matching range, or 0. */
function qualityOf(accept: string, type: string): number {
  const ranges = [type, 'application/*', '*/*'];
  let best = { rank: ranges.length, q: 0 };
  for (const item of accept.split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const rank = ranges.indexOf(range);
    if (rank < 0 || rank >= best.rank) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    best = { rank, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  }
  return best.q;
}
