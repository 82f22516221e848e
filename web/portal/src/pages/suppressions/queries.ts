import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import type { Suppression, SuppressionPage } from '../../../../shared/api/portal-types.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { oneOf, type SearchSchema, text } from '../../../../shared/routing/search.ts';

/** Rows of a page (addresses). */
const PAGE_ROWS = 50;
/** New addresses are looked for this often while the page is visible (ms). */
const LOOK_EVERY_MS = 15_000;

export const SOURCES = ['bounce', 'complaint', 'manual'] as const satisfies readonly Suppression['source'][];

export interface Search extends Period {
  readonly address: string;
  readonly source: Suppression['source'] | '';
}

export const searchSchema: SearchSchema<Search> = {
  address: text(),
  source: oneOf(['', ...SOURCES], ''),
  ...periodSchema('all'),
};

export const NO_FILTERS: Search = { address: '', source: '', ...ALL_TIME };

/** How many filters besides the address. */
export function countFilters({ source, ...period }: Search): number {
  return [source !== '', isPeriod(period)].filter(Boolean).length;
}

/** As the parameters of the list and of the export. */
export function toQuery({ address, source, ...period }: Search): Query {
  return { address: isAddress(address) ? address.trim() : '', source, ...periodQuery(period) };
}

/** The list is filtered by whole addresses: what is still being typed filters nothing. */
export function isAddress(text: string): boolean {
  return /^\S+@\S+$/.test(text.trim());
}

export function suppressionsQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['suppressions', 'list', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<SuppressionPage>('GET', '/suppressions', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    retry: false,
  });
}

/** The newest rows: what the list does not show yet. */
export function newestQuery(api: ApiClient, search: Search) {
  return queryOptions({
    queryKey: ['suppressions', 'newest', search],
    queryFn: ({ signal }) =>
      api.call<SuppressionPage>('GET', '/suppressions', {
        query: { ...toQuery(search), limit: PAGE_ROWS },
        signal,
      }),
    refetchInterval: LOOK_EVERY_MS,
    retry: false,
  });
}
