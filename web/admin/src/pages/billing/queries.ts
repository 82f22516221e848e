import { queryOptions } from '@tanstack/react-query';
import type { Bill } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { text } from '../../../../shared/routing/search.ts';

export const searchSchema = { month: text() };

export interface Search {
  /** UTC; empty: this month. */
  readonly month: string;
}

/** Looked at this often while the page is visible (ms). */
const LOOK_EVERY_MS = 15_000;

export function billQuery(api: ApiClient, month: string) {
  return queryOptions({
    queryKey: ['billing', month],
    queryFn: ({ signal }) => api.call<Bill>('GET', '/billing', { query: { month }, signal }),
    refetchInterval: LOOK_EVERY_MS,
    placeholderData: (known) => known,
  });
}

/** The server's own file: in the CSV no name can act as a formula. */
export function billFile(api: ApiClient, month: string, format: 'csv' | 'json'): Promise<Blob> {
  return api.bytes('/billing', { query: { month, format } });
}
