import { infiniteQueryOptions } from '@tanstack/react-query';
import type { RoleMailPage } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { oneOf } from '../../../../shared/routing/search.ts';

export const ROLES = ['', 'postmaster', 'abuse', 'fbl'] as const;
export const KINDS = ['', 'complaint', 'report', 'automatic', 'letter'] as const;

export const searchSchema = { role: oneOf(ROLES, ''), kind: oneOf(KINDS, '') };

export interface Search {
  readonly role: (typeof ROLES)[number];
  readonly kind: (typeof KINDS)[number];
}

const PAGE_ROWS = 50;
/** Without hints: looked at this often while the page is visible (ms). */
const AGAIN_MS = 60_000;

export function roleMailQuery(api: ApiClient, { role, kind }: Search) {
  return infiniteQueryOptions({
    queryKey: ['role-mail', role, kind],
    queryFn: ({ signal, pageParam }) =>
      api.call<RoleMailPage>('GET', '/role-mail', {
        query: { role, kind, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
    refetchInterval: AGAIN_MS,
  });
}

export function bytesOf(api: ApiClient, id: string): Promise<Blob> {
  return api.bytes(`/role-mail/${id}/raw`);
}

export function remove(api: ApiClient, id: string): Promise<void> {
  return api.call('DELETE', `/role-mail/${id}`);
}
