import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { Rates } from '../../../../shared/api/portal-types.ts';

/** How often the counters are looked at while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function ratesQuery(api: ApiClient, days: number) {
  return queryOptions({
    queryKey: ['rates', days],
    queryFn: ({ signal }) => api.call<Rates>('GET', '/rates', { query: { days }, signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (known) => known,
  });
}
