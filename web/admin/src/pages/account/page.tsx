import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Hash } from '../../../../shared/ui/hash.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Tabs } from '../../../../shared/ui/tabs.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { TenantStatusMark } from '../../parts/tenant-status.tsx';
import { tenantWords } from '../../parts/tenant-words.ts';
import classes from './page.module.css';
import { type Search, searchSchema, tenantQuery } from './queries.ts';
import { StateActions } from './state.tsx';
import type { TabProps } from './tab.ts';
import { accountWords } from './words.ts';

/** Parts of the page, in the order of their tabs. */
const TABS = {
  overview: lazy(() => import('./overview.tsx')),
  people: lazy(() => import('./people.tsx')),
  domains: lazy(() => import('./domains.tsx')),
  keys: lazy(() => import('./keys.tsx')),
  webhooks: lazy(() => import('./webhooks.tsx')),
  rates: lazy(() => import('./rates.tsx')),
  queue: lazy(() => import('./queue.tsx')),
  audit: lazy(() => import('./audit.tsx')),
} as const satisfies Readonly<Record<string, ComponentType<TabProps>>>;
type TabId = keyof typeof TABS;

/** A customer's account as its operator sees it. */
function AccountPage({ params, ...rest }: PageProps<Search>) {
  const { id = '', tab = '' } = params;
  const current: TabId = tab in TABS ? (tab as TabId) : 'overview';
  return (
    <Loaded query={useQuery(tenantQuery(useApi(), id))} rows={8} whole list="/tenants">
      {(tenant) => <AccountParts tenant={tenant} current={current} {...rest} />}
    </Loaded>
  );
}

function AccountParts({ current, ...props }: TabProps & { current: TabId }) {
  const words = useWords(accountWords);
  const common = useWords(tenantWords);
  const { id, name, status, sandbox } = props.tenant;
  const Tab = TABS[current];
  const ids = Object.keys(TABS) as TabId[];
  return (
    <>
      <PageHeading title={<Foreign text={name} />} actions={<StateActions tenant={props.tenant} />} />
      <div className={classes['facts']}>
        <TenantStatusMark status={status} badge />
        {sandbox && <span>{common.sandbox}</span>}
        <Hash value={id} what={words.id} />
        <Link to={`/messages${searchText({ tenant: id })}`}>{words.toMessages}</Link>
      </div>
      {status !== 'active' && (
        <div className={classes['notice']}>
          <Notice tone="waiting">{words.stopped[status]}</Notice>
        </div>
      )}
      <Tabs
        current={current}
        label={words.sections}
        tabs={ids.map((each) => ({
          id: each,
          label: words.tabs[each],
          to: each === 'overview' ? `/tenants/${id}` : `/tenants/${id}/${each}`,
        }))}
      />
      <Suspense fallback={<Skeleton />}>
        <Tab {...props} />
      </Suspense>
    </>
  );
}

export const page = definePage<Search>({
  path: '/tenants/$id/$tab',
  search: searchSchema,
  title: (language) => accountWords[language].title,
  queries: (api, { id = '' }) => [tenantQuery(api, id)],
  Page: AccountPage,
});
