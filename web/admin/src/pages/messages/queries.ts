import { infiniteQueryOptions } from '@tanstack/react-query';
import type { FoundMessagePage, MessageStatus } from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

export const STATUSES = [
  ...['queued', 'sent', 'deferred', 'bounced', 'complained', 'scheduled', 'cancelled'],
] as const satisfies readonly MessageStatus[];

export interface Search extends Period {
  readonly q: string;
  /** Id of an account. */
  readonly tenant: string;
  readonly status: MessageStatus | '';
}

export const searchSchema: SearchSchema<Search> = {
  q: text(),
  tenant: text(),
  status: oneOf(['', ...STATUSES], ''),
  ...periodSchema('all'),
};

export const NO_FILTERS = { tenant: '', status: '', ...ALL_TIME } as const;

/** Rows of a page (messages). */
const PAGE_ROWS = 50;

/** True if there is something to look for. */
export function isAsked({ q, tenant }: Search): boolean {
  return q.trim() !== '' || tenant !== '';
}

/** How many filters besides the text. */
export function countFilters({ tenant, status, ...period }: Search): number {
  return [tenant !== '', status !== '', isPeriod(period)].filter(Boolean).length;
}

export function toQuery({ q, tenant, status, ...period }: Search): Query {
  return { q: q.trim(), tenant_id: tenant, status, ...periodQuery(period) };
}

/** Each search is recorded, so it is made once, and not again while somebody looks at it. */
export function foundQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['found-messages', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<FoundMessagePage>('GET', '/messages', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: isAsked(search),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { still: true },
  });
}

export function exportFound(api: ApiClient, search: Search): Promise<Blob> {
  return api.bytes('/messages/export', { query: toQuery(search) });
}
