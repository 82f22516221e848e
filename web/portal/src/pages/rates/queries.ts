import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { PeriodRates } from '../../../../shared/api/portal-types.ts';
import { type Search, toQuery } from './search.ts';

/** Costs the server up to 0.2 s (ms). */
const AGAIN_MS = 60_000;

export function periodQuery(api: ApiClient, search: Search) {
  return queryOptions({
    queryKey: ['rates', 'period', search],
    queryFn: ({ signal }) =>
      api.call<PeriodRates>('GET', '/rates/period', { query: toQuery(search), signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (known) => known,
  });
}
