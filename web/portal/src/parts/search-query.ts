import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { FoundList, NothingFound } from '../../../shared/api/portal-types.ts';
import type { Format } from '../../../shared/format/format.ts';
import type { Translated } from '../../../shared/words/words.ts';
import type { nothingWords } from './nothing-words.ts';

/** Messages to a domain are counted so far. */
const COUNTED_MAX = 100;

export function searchQuery(api: ApiClient, q: string) {
  return queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => api.call<FoundList>('GET', '/search', { query: { q }, signal }),
    enabled: q.trim() !== '',
  });
}

/** In sentences, the most certain first. */
export function whyNothing(
  nothing: NothingFound,
  words: Translated<(typeof nothingWords)['en']>,
  format: Format,
): string[] {
  const { address, domain, domain_messages: count } = nothing;
  const { suppressed_since: suppressed, searched_to: searchedTo } = nothing;
  const counted = `${format.number(count)}${count === COUNTED_MAX ? '+' : ''}`;
  return [
    address === null ? words.noMessage : words.noMessageTo(address),
    ...(domain !== null && domain !== '' ? [words.toDomain(counted, domain)] : []),
    ...(suppressed === null ? [] : [words.suppressedSince(format.date(suppressed))]),
    ...(searchedTo === null ? [] : [words.searchedTo(format.date(searchedTo))]),
  ];
}
