import { infiniteQueryOptions } from '@tanstack/react-query';
import type {
  LinkedOperator,
  Operator,
  OperatorPage,
  OperatorRole,
} from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';

const PAGE_ROWS = 50;
/** Read again this often while the page is visible, because there are no hints (ms). */
const AGAIN_MS = 30_000;

export function operatorsQuery(api: ApiClient) {
  return infiniteQueryOptions({
    queryKey: ['operators'],
    queryFn: ({ signal, pageParam }) =>
      api.call<OperatorPage>('GET', '/operators', { query: { limit: PAGE_ROWS, after: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    refetchInterval: AGAIN_MS,
  });
}

export interface Invitation {
  readonly email: string;
  readonly name?: string;
  readonly role: OperatorRole;
}

export function inviteOperator(api: ApiClient, invitation: Invitation): Promise<LinkedOperator> {
  return api.call('POST', '/operators', { body: invitation });
}

export function linkOperator(api: ApiClient, id: string): Promise<LinkedOperator> {
  return api.call('POST', `/operators/${id}/link`);
}

export function changeRole(api: ApiClient, id: string, role: OperatorRole): Promise<Operator> {
  return api.call('PATCH', `/operators/${id}`, { body: { role } });
}

export function resetFactor(api: ApiClient, id: string): Promise<void> {
  return api.call('DELETE', `/operators/${id}/second-factor`);
}

export function removeOperator(api: ApiClient, id: string): Promise<void> {
  return api.call('DELETE', `/operators/${id}`);
}
