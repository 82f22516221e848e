/** What a hit of the documentation's search leads to, as server/src/reference/site/page.ts writes it. */
export interface SearchEntry {
  readonly href: string;
  readonly title: string;
  readonly kind: string;
  /** The page that a heading is on. */
  readonly page?: string;
  readonly text: string;
}

/** Throws when the server does not answer. */
export async function readSearchIndex(): Promise<readonly SearchEntry[]> {
  const answer = await fetch('/docs/search.json', { credentials: 'omit' });
  if (!answer.ok) throw new Error(`the index answered ${answer.status}`);
  return answer.json();
}
