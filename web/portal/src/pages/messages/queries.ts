import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MessagePage } from '../../../../shared/api/portal-types.ts';
import { type Search, toQuery } from './filters.ts';

/** Rows of a page (messages). */
const PAGE_ROWS = 50;
/** New messages are looked for this often while the page is visible (ms). */
const LOOK_EVERY_MS = 15_000;

/** The list, page after page. */
export function messagesQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['messages', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      api.call<MessagePage>('GET', '/messages', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
}

/** The newest rows: what the list above does not show yet, and what changed in those that it shows. */
export function newestQuery(api: ApiClient, search: Search) {
  return queryOptions({
    queryKey: ['messages', 'newest', search],
    queryFn: ({ signal }) =>
      api.call<MessagePage>('GET', '/messages', { query: { ...toQuery(search), limit: PAGE_ROWS }, signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}
