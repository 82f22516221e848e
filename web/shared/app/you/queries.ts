import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { ApiClient } from '../../api/client.ts';
import type { UserSessionList } from '../../api/portal-types.ts';
import { SESSION_KEY } from '../session.ts';
import type { Own } from './own.ts';

/** Sessions are looked for this often while the page is visible (ms). */
const AGAIN_MS = 15_000;

export function sessionsQuery(api: ApiClient, path: Own['path']) {
  return queryOptions({
    queryKey: ['user', 'sessions'],
    queryFn: ({ signal }) => api.call<UserSessionList>('GET', `${path}/sessions`, { signal }),
    refetchInterval: AGAIN_MS,
  });
}

export function useRefresh(): () => void {
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
    void queryClient.invalidateQueries({ queryKey: ['user'] });
  };
}
