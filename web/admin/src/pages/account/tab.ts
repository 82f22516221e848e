import type { Tenant } from '../../../../shared/api/admin-types.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import type { Search } from './queries.ts';

export interface TabProps extends Pick<PageProps<Search>, 'search' | 'setSearch'> {
  readonly tenant: Tenant;
}
