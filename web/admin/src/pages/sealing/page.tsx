import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { type ComponentType, lazy, Suspense } from 'react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useGo } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Tabs } from '../../../../shared/ui/tabs.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { checksQuery, type Search, sealingQuery, searchSchema, startCheck } from './queries.ts';
import { sealingWords } from './words.ts';

/** Parts of the page, in the order of their tabs. */
const TABS = {
  status: lazy(() => import('./status.tsx')),
  batches: lazy(() => import('./batches.tsx')),
  checks: lazy(() => import('./checks.tsx')),
  costs: lazy(() => import('./costs.tsx')),
} as const satisfies Readonly<Record<string, ComponentType<PageProps<Search>>>>;
type TabId = keyof typeof TABS;

/** The evidence as its operator sees it: what waits, who seals, what it costs, and whether it holds. */
function SealingPage(props: PageProps<Search>) {
  const words = useWords(sealingWords);
  const { tab = '' } = props.params;
  const current: TabId = tab in TABS ? (tab as TabId) : 'status';
  const Tab = TABS[current];
  const ids = Object.keys(TABS) as TabId[];
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={<CheckNow />} />
      <Tabs
        current={current}
        tabs={ids.map((id) => ({
          id,
          label: words.tabs[id],
          to: id === 'status' ? '/sealing' : `/sealing/${id}`,
        }))}
      />
      <Suspense key={current} fallback={<Skeleton />}>
        <Tab {...props} />
      </Suspense>
    </>
  );
}

/** Recomputes everything from raw bytes; one at a time. */
function CheckNow() {
  const words = useWords(sealingWords);
  const api = useApi();
  const can = useCan();
  const go = useGo();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { data } = useInfiniteQuery(checksQuery(api));
  const { busy, error, run } = useSubmission();
  const isRunning = data?.pages[0]?.data.some(({ status }) => status === 'running') === true;
  const start = () =>
    run(async () => {
      await startCheck(api);
      toast(words.checks.started);
      void queryClient.invalidateQueries({ queryKey: ['sealing', 'checks'] });
      go('/sealing/checks');
    });
  return (
    <>
      <Button
        icon={ShieldCheck}
        busy={busy}
        unavailable={can.administer ?? (isRunning ? words.checks.isRunning : null)}
        onClick={start}
      >
        {words.checks.start}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}

export const page = definePage<Search>({
  path: '/sealing/$tab',
  search: searchSchema,
  title: (language) => sealingWords[language].title,
  queries: (api, { tab = 'status' }) => (tab === 'status' ? [sealingQuery(api)] : []),
  Page: SealingPage,
});
