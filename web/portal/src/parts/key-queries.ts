import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { ApiKeyPage } from '../../../shared/api/portal-types.ts';

const PAGE_ROWS = 50;

export function keysQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['api-keys'],
    queryFn: ({ signal, pageParam }) =>
      api.call<ApiKeyPage>('GET', '/api-keys', { query: { limit: PAGE_ROWS, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
}
