import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { SenderPage } from '../../../../shared/api/portal-types.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

/** Rows of a page (senders). */
const PAGE_ROWS = 50;
/** Poll interval for others' changes (ms). */
const LOOK_EVERY_MS = 15_000;

export interface Search {
  readonly domain_id: string;
  /** Empty for any; else as the API takes it. */
  readonly active: '' | 'true' | 'false';
}

export const searchSchema: SearchSchema<Search> = {
  domain_id: text(),
  active: oneOf(['', 'true', 'false'], ''),
};

export function sendersQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['senders', 'list', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<SenderPage>('GET', '/senders', {
        query: { ...search, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: LOOK_EVERY_MS,
  });
}
