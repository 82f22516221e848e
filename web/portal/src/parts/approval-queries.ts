import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../shared/api/client.ts';
import type { ApprovalList } from '../../../shared/api/portal-types.ts';

/** Sends that wait for a person. No hint comes when one is asked for, so the page polls. */
export function approvalsQuery(api: ApiClient, everyMs: number) {
  return queryOptions({
    queryKey: ['approvals', 'list'],
    queryFn: ({ signal }) => api.call<ApprovalList>('GET', '/approvals', { signal }),
    refetchInterval: everyMs,
  });
}
