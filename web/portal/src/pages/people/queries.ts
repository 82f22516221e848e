import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MemberPage } from '../../../../shared/api/portal-types.ts';

/** The API's largest page (people): most accounts are on one. */
const PAGE_ROWS = 100;
/** How often the page looks while it is visible (ms): more often while somebody is expected. */
const AGAIN_MS = 15_000;
const EXPECTING_MS = 3_000;

export function membersQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['members'],
    queryFn: ({ signal, pageParam }) =>
      api.call<MemberPage>('GET', '/members', { query: { limit: PAGE_ROWS, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((each) => each.state === 'invited')) === true
        ? EXPECTING_MS
        : AGAIN_MS,
  });
}
