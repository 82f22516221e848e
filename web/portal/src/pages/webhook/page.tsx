import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { Webhook } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Tabs } from '../../../../shared/ui/tabs.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useStateReason, WebhookState } from '../../../../shared/webhooks/state.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { webhookQuery } from '../../parts/webhooks/queries.ts';
import { type Search, searchSchema, type TabProps } from './filters.ts';
import classes from './page.module.css';
import { detailWords } from './words.ts';

/** Parts of the page, in the order of their tabs. */
const TABS = {
  deliveries: lazy(() => import('./deliveries.tsx')),
  test: lazy(() => import('./test.tsx')),
  settings: lazy(() => import('./settings.tsx')),
} as const satisfies Readonly<Record<string, ComponentType<TabProps>>>;
type TabId = keyof typeof TABS;

const OneDelivery = lazy(() => import('./delivery.tsx'));
const Replay = lazy(() => import('./replay.tsx'));

function WebhookPage({ params, search, setSearch }: PageProps<Search>) {
  const api = useApi();
  const { id = '', tab = '', delivery } = params;
  const current: TabId = tab in TABS ? (tab as TabId) : 'deliveries';
  const Tab = TABS[current];
  return (
    <Loaded query={useQuery(webhookQuery(api, id))} rows={8} whole list="/webhooks">
      {(webhook) => (
        <>
          <Head webhook={webhook} current={current} />
          <Suspense key={delivery ?? current} fallback={<Skeleton />}>
            {delivery === undefined ? (
              <Tab webhook={webhook} search={search} setSearch={setSearch} />
            ) : (
              <OneDelivery webhook={webhook} id={delivery} />
            )}
          </Suspense>
        </>
      )}
    </Loaded>
  );
}

function Head({ webhook, current }: { webhook: Webhook; current: TabId }) {
  const words = useWords(detailWords);
  const can = useCan();
  const reasonOf = useStateReason();
  const [replaying, setReplaying] = useState(false);
  const { id, url, description, enabled } = webhook;
  const ids = Object.keys(TABS) as TabId[];
  const reason = reasonOf(webhook);
  return (
    <>
      <PageHeading
        title={
          <span className={classes['url']}>
            <Foreign text={url} breaks />
          </span>
        }
        lead={description ?? undefined}
        actions={
          <Button icon={RotateCw} unavailable={can.send} onClick={() => setReplaying(true)}>
            {words.replayAll}
          </Button>
        }
      />
      {enabled ? (
        <div className={classes['facts']}>
          <WebhookState webhook={webhook} badge />
          {reason !== null && (
            <span>
              <Foreign text={reason} />
            </span>
          )}
        </div>
      ) : (
        <Off webhook={webhook} reason={reason} />
      )}
      <Tabs
        current={current}
        tabs={ids.map((each) => ({ id: each, label: words.tabs[each], to: `/webhooks/${id}/${each}` }))}
      />
      <Suspense>{replaying && <Replay webhook={webhook} onClose={() => setReplaying(false)} />}</Suspense>
    </>
  );
}

/** Says why it is off, and turns it on. */
function Off({ webhook, reason }: { webhook: Webhook; reason: string | null }) {
  const words = useWords(detailWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const turnOn = useMutation({
    mutationFn: () => api.call('PATCH', `/webhooks/${webhook.id}`, { body: { enabled: true } }),
    onSuccess: () => toast(words.turnedOn),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return (
    <div className={classes['off']}>
      <Notice tone={webhook.disabled_reason === 'manual' ? 'info' : 'failed'}>
        <b>{words.offNotice}</b> <Foreign text={reason} />
        <div className={classes['act']}>
          <Button unavailable={can.send} busy={turnOn.isPending} onClick={() => turnOn.mutate()}>
            {words.turnOn}
          </Button>
        </div>
      </Notice>
      {turnOn.error !== null && <Refusal error={turnOn.error} />}
    </div>
  );
}

export const page = definePage<Search>({
  path: '/webhooks/$id/$tab',
  search: searchSchema,
  title: (language) => detailWords[language].title,
  queries: (api, { id = '' }) => [webhookQuery(api, id)],
  Page: WebhookPage,
});
