import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { ApprovalList } from '../../../shared/api/portal-types.ts';

/** What waits for a person. Nobody tells the page when a send is asked for: it asks again. */
export function approvalsQuery(api: ApiClient, everyMs: number) {
  return queryOptions({
    queryKey: ['approvals', 'list'],
    queryFn: ({ signal }) => api.call<ApprovalList>('GET', '/approvals', { signal }),
    refetchInterval: everyMs,
  });
}
