import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Tenant, TenantPage, TenantStatus } from '../../../../shared/api/admin-types.ts';
import type { ApiClient } from '../../../../shared/api/client.ts';
import { oneOf, text } from '../../../../shared/routing/search.ts';
import type { Settings } from '../../parts/tenant-form.tsx';

export const STATUSES = ['active', 'suspended', 'deactivated'] as const satisfies readonly TenantStatus[];
const PAGE_ROWS = 50;

export const searchSchema = { q: text(), status: oneOf(['', ...STATUSES], '') };

export interface Search {
  /** Part of a name, or an id. */
  readonly q: string;
  readonly status: '' | TenantStatus;
}

export function tenantsQuery(api: ApiClient, { q, status }: Search) {
  return infiniteQueryOptions({
    queryKey: ['tenants', 'list', q, status],
    queryFn: ({ signal, pageParam }) =>
      api.call<TenantPage>('GET', '/tenants', {
        query: { q, status, limit: PAGE_ROWS, after: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (known) => known,
  });
}

export function createTenant(api: ApiClient, settings: Settings): Promise<Tenant> {
  return api.call('POST', '/tenants', { body: settings });
}
