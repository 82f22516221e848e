import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { Domain, DomainPage } from '../../../shared/api/portal-types.ts';

/** Rows of a page (domains). */
const PAGE_ROWS = 50;
/** The API's largest page (domains). */
const LARGEST_PAGE_ROWS = 100;
/** A domain changes when somebody checks it, or by the daily look-up (ms). */
const LOOK_EVERY_MS = 15_000;

/** `status`: empty for any. */
export function domainsQuery(api: ApiClient, status: Domain['status'] | '') {
  return infiniteQueryOptions({
    queryKey: ['domains', 'list', status],
    queryFn: ({ signal, pageParam }) =>
      api.call<DomainPage>('GET', '/domains', {
        query: { status, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** All of them, to choose from: an account has 1,000 at most. */
export function allDomainsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['domains', 'all'],
    queryFn: async ({ signal }) => {
      const found: Domain[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page: DomainPage = await api.call('GET', '/domains', {
          query: { limit: LARGEST_PAGE_ROWS, after },
          signal,
        });
        found.push(...page.data);
        after = page.next_cursor;
      }
      return found;
    },
  });
}

/** How many of a domain's records are in the DNS, of how many. */
export function recordsFound({ records }: Domain): { found: number; all: number } {
  return { found: records.filter(({ status }) => status === 'found').length, all: records.length };
}
