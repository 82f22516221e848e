/** A hit of the documentation's search, as server/src/surfaces/reference/site/page.ts writes it. */
export interface SearchEntry {
  readonly href: string;
  readonly title: string;
  readonly kind: string;
  /** The page that a heading is on. */
  readonly page?: string;
  readonly text: string;
  /** Other words that find a long section. */
  readonly words?: string;
}

/** Beside the program of the pages, wherever that is published. Throws when the server does not answer. */
export async function readSearchIndex(): Promise<readonly SearchEntry[]> {
  const answer = await fetch(new URL('search.json', import.meta.url), { credentials: 'omit' });
  if (!answer.ok) throw new Error(`the index answered ${answer.status}`);
  return answer.json();
}
