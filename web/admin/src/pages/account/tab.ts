import type { Tenant } from '../../../../shared/api/admin-types.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import type { Search } from './queries.ts';

/** What each part of the page is given. */
export interface TabProps extends Pick<PageProps<Search>, 'search' | 'setSearch'> {
  readonly tenant: Tenant;
}
