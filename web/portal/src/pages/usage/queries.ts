import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { MonthCostList } from '../../../../shared/api/portal-types.ts';

/** The current month still grows (ms). */
const AGAIN_MS = 60_000;

export function monthsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['account', 'months'],
    queryFn: ({ signal }) => api.call<MonthCostList>('GET', '/usage/months', { signal }),
    refetchInterval: AGAIN_MS,
  });
}
