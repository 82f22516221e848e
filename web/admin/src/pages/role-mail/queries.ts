import { infiniteQueryOptions } from '@tanstack/react-query';
import type { RoleMailPage } from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema } from '../../../../shared/routing/search.ts';

export const ROLES = ['', 'postmaster', 'abuse', 'fbl'] as const;
export const KINDS = ['', 'complaint', 'report', 'automatic', 'letter'] as const;

/** Nothing is kept for longer than 90 days. */
export const DAYS = ['1', '7', '30', 'all'] as const;

export interface Search extends Period {
  readonly role: (typeof ROLES)[number];
  readonly kind: (typeof KINDS)[number];
}

export const searchSchema: SearchSchema<Search> = {
  role: oneOf(ROLES, ''),
  kind: oneOf(KINDS, ''),
  ...periodSchema('all'),
};

export const NO_FILTERS: Search = { role: '', kind: '', ...ALL_TIME };

export function countFilters({ role, kind, ...period }: Search): number {
  return [role !== '', kind !== '', isPeriod(period)].filter(Boolean).length;
}

export function toQuery({ role, kind, ...period }: Search): Query {
  return { role, kind, ...periodQuery(period) };
}

const PAGE_ROWS = 50;
/** Read again this often while the page is visible, because there are no hints (ms). */
const AGAIN_MS = 60_000;

export function roleMailQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['role-mail', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<RoleMailPage>('GET', '/role-mail', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
    refetchInterval: AGAIN_MS,
  });
}

export function bytesOf(api: ApiClient, id: string): Promise<Blob> {
  return api.bytes(`/role-mail/${id}/raw`);
}

export function remove(api: ApiClient, id: string): Promise<void> {
  return api.call('DELETE', `/role-mail/${id}`);
}
