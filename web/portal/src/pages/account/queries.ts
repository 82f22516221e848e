import { queryOptions } from '@tanstack/react-query';
import type { ApiClient } from '../../../../shared/api/client.ts';
import type { AccountPolicy, MemberPage } from '../../../../shared/api/portal-types.ts';

/** The API's largest page (people). */
const PEOPLE_MAX = 100;

export function policyQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => api.call<AccountPolicy>('GET', '/settings', { signal }),
  });
}

/** How many people have no second factor; undefined when there are more than one page of them. */
export function withoutFactorQuery(api: ApiClient) {
  return queryOptions({
    queryKey: ['members', 'without-factor'],
    queryFn: async ({ signal }) => {
      const page = await api.call<MemberPage>('GET', '/members', { query: { limit: PEOPLE_MAX }, signal });
      const without = page.data.filter((each) => !each.has_second_factor).length;
      return page.next_cursor === null ? without : null;
    },
  });
}
