/** True if Accept ranks application/json above application/zip. RFC 9110 §12.5.1 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return qualityOf(accept, 'application/json').q > qualityOf(accept, 'application/zip').q;
}

/** A PDF costs money: only a client that names it and ranks it first gets one. */
export function preferredForm(accept: string | undefined): 'zip' | 'json' | 'pdf' {
  const form = prefersJson(accept) ? 'json' : 'zip';
  const pdf = qualityOf(accept ?? '', 'application/pdf');
  const isFirst = pdf.rank === 0 && pdf.q > qualityOf(accept ?? '', `application/${form}`).q;
  return isFirst ? 'pdf' : form;
}

function qualityOf(accept: string, type: string): { rank: number; q: number } {
  const ranges = [type, 'application/*', '*/*'];
  let best = { rank: ranges.length, q: 0 };
  for (const item of accept.split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const rank = ranges.indexOf(range);
    if (rank < 0 || rank >= best.rank) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    best = { rank, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  }
  return best;
}
