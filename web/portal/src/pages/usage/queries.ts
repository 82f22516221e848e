import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { Account } from '../../../../shared/api/portal-types.ts';

/** How often the counters are looked at while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function accountQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['account', 'usage'],
    queryFn: ({ signal }) => api.call<Account>('GET', '/account', { signal }),
    refetchInterval: AGAIN_MS,
  });
}
