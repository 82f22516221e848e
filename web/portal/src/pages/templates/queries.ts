import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { TemplatePage } from '../../../../shared/api/portal-types.ts';

const PAGE_ROWS = 50;
/** How often it is looked for what others save, while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function templatesQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['templates', 'list'],
    queryFn: ({ signal, pageParam }) =>
      api.call<TemplatePage>('GET', '/templates', { query: { limit: PAGE_ROWS, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: AGAIN_MS,
  });
}
