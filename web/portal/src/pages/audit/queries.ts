import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { AuditEntryPage, MemberPage } from '../../../../shared/api/portal-types.ts';
import { type Search, toQuery } from './filters.ts';

const PAGE_ROWS = 50;
/** The API's largest page of people; anybody beyond it is found by id. */
const PEOPLE_MAX = 100;
/** New entries are looked for this often while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function auditQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<AuditEntryPage>('GET', '/audit', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: AGAIN_MS,
  });
}

export function actorsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['members', 'actors'],
    queryFn: ({ signal }) =>
      api.call<MemberPage>('GET', '/members', { query: { limit: PEOPLE_MAX }, signal }),
  });
}
