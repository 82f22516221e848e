import { queryOptions } from '@tanstack/react-query';
import type { Overview } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';

/** The state of the installation is asked for this often while the page is visible (ms). */
const LOOK_EVERY_MS = 5_000;

export function overviewQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.call<Overview>('GET', '/overview', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}
