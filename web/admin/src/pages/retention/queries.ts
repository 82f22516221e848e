import { queryOptions } from '@tanstack/react-query';
import type { RetentionStatus } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';

/** Counting reads every account: repeated this often while the page is visible (ms). */
const LOOK_EVERY_MS = 30_000;

export function retentionQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['retention'],
    queryFn: ({ signal }) => api.call<RetentionStatus>('GET', '/retention', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });
}
