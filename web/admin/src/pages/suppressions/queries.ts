import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  AddedGlobalSuppression,
  GlobalSuppressionPage,
  SuppressionImport,
} from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { text } from '../../../../shared/routing/search.ts';

export const searchSchema = { q: text() };

export interface Search {
  /** Part of the address. */
  readonly q: string;
}

const PAGE_ROWS = 50;
const CSV_TYPE = 'text/csv';

export function suppressionsQuery(api: ApiClient, { q }: Search) {
  return infiniteQueryOptions({
    queryKey: ['suppressions', q],
    queryFn: ({ signal, pageParam }) =>
      api.call<GlobalSuppressionPage>('GET', '/suppressions', {
        query: { q: q.trim(), limit: PAGE_ROWS, after: pageParam },
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

export function exportFile(api: ApiClient, { q }: Search): Promise<Blob> {
  return api.bytes('/suppressions/export', { query: { q: q.trim() } });
}
