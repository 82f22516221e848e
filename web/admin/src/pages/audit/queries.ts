import { infiniteQueryOptions } from '@tanstack/react-query';
import type { OperatorEventPage, OperatorPage } from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import { isPeriod, type Period, periodQuery, periodSchema } from '../../../../shared/routing/period.ts';
import { text } from '../../../../shared/routing/search.ts';

export const searchSchema = {
  action: text(),
  operator: text(),
  tenant: text(),
  ...periodSchema('30'),
};

export interface Search extends Period {
  readonly action: string;
  /** Id of who did it. */
  readonly operator: string;
  /** Id of the account that it was done to. */
  readonly tenant: string;
}

const PAGE_ROWS = 50;
/** Read again this often while the page is visible, because there are no hints (ms). */
const AGAIN_MS = 30_000;
const OPERATORS_MAX = 100;

export function queryOf({ action, operator, tenant, ...period }: Search): Query {
  return { action, operator_id: operator, tenant_id: tenant, ...periodQuery(period) };
}

export function countFilters({ action, operator, ...period }: Search): number {
  return [action !== '', operator !== '', isPeriod(period, '30')].filter(Boolean).length;
}

export function eventsQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<OperatorEventPage>('GET', '/audit', {
        query: { ...queryOf(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
    refetchInterval: AGAIN_MS,
  });
}

/** Operators to choose from; the newest page of them. */
export function namesQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['operators', 'names'],
    queryFn: ({ signal }) =>
      api.call<OperatorPage>('GET', '/operators', { query: { limit: OPERATORS_MAX }, signal }),
    initialPageParam: null,
    getNextPageParam: () => null,
  });
}
