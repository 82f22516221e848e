import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  AddedGlobalSuppression,
  GlobalSuppressionPage,
  SuppressionImport,
} from '../../../../shared/api/admin-types.ts';
import type { ApiClient, Query } from '../../../../shared/api/client.ts';
import {
  ALL_TIME,
  isPeriod,
  type Period,
  periodQuery,
  periodSchema,
} from '../../../../shared/routing/period.ts';
import { type SearchSchema, text } from '../../../../shared/routing/search.ts';

export interface Search extends Period {
  /** Part of the address. */
  readonly q: string;
}

export const searchSchema: SearchSchema<Search> = { q: text(), ...periodSchema('all') };

export const NO_FILTERS: Search = { q: '', ...ALL_TIME };

/** How many filters besides the address. */
export function countFilters(search: Search): number {
  return isPeriod(search) ? 1 : 0;
}

function toQuery({ q, ...period }: Search): Query {
  return { q: q.trim(), ...periodQuery(period) };
}

const PAGE_ROWS = 50;
const CSV_TYPE = 'text/csv';

export function suppressionsQuery(api: ApiClient, search: Search) {
  return infiniteQueryOptions({
    queryKey: ['suppressions', search],
    queryFn: ({ signal, pageParam }) =>
      api.call<GlobalSuppressionPage>('GET', '/suppressions', {
        query: { ...toQuery(search), limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
  });
}

export function add(api: ApiClient, address: string, reason: string): Promise<AddedGlobalSuppression> {
  const body = { address, ...(reason !== '' && { reason }) };
  return api.call('POST', '/suppressions', { body });
}

export function remove(api: ApiClient, address: string): Promise<void> {
  return api.call('DELETE', `/suppressions/${encodeURIComponent(address)}`);
}

/** A browser guesses a file's type by its name; what is in it is for the server to say. */
export function importFile(api: ApiClient, file: File): Promise<SuppressionImport> {
  return api.call('POST', '/suppressions/import', { body: file.slice(0, file.size, CSV_TYPE) });
}

export function exportFile(api: ApiClient, search: Search): Promise<Blob> {
  return api.bytes('/suppressions/export', { query: toQuery(search) });
}
