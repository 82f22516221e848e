import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { Account, Rates } from '../../../shared/api/portal-types.ts';

/** How often the account's counters are read while the page is visible (ms). */
const AGAIN_MS = 15_000;

/** Rates of the last `days` UTC days, today included. */
export function ratesQuery(api: ApiClient, days: number) {
  return queryOptions({
    queryKey: ['rates', days],
    queryFn: ({ signal }) => api.call<Rates>('GET', '/rates', { query: { days }, signal }),
    refetchInterval: AGAIN_MS,
    placeholderData: (known) => known,
  });
}

export function accountQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['account', 'usage'],
    queryFn: ({ signal }) => api.call<Account>('GET', '/account', { signal }),
    refetchInterval: AGAIN_MS,
  });
}
