import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleX, RotateCw } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import type { Message } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { visible } from '../../../../shared/format/foreign-text.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { MessageStatusMark, SealMark } from '../../../../shared/mail/status.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { Tabs } from '../../../../shared/ui/tabs.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { addressIn } from '../../shell/find.ts';
import { checkedQuery } from './evidence-queries.ts';
import classes from './page.module.css';
import { ProveIt } from './prove-it.tsx';
import { isWaiting, messageQuery } from './queries.ts';
import { messageWords } from './words.ts';

const CancelDialog = lazy(() => import('./cancel-dialog.tsx'));

/** Parts of the page, in the order of their tabs. */
const TABS = {
  timeline: lazy(() => import('./timeline.tsx')),
  conversation: lazy(() => import('./conversation.tsx')),
  content: lazy(() => import('./content.tsx')),
  evidence: lazy(() => import('./evidence.tsx')),
  json: lazy(() => import('./json.tsx')),
} as const satisfies Readonly<Record<string, ComponentType<{ message: Message }>>>;
type TabId = keyof typeof TABS;

/** Somebody may ask why. */
const NOT_THERE: ReadonlySet<Message['status']> = new Set(['deferred', 'bounced', 'complained']);

function MessagePage({ params }: PageProps) {
  const api = useApi();
  const { id = '', tab = '' } = params;
  const current: TabId = tab in TABS ? (tab as TabId) : 'timeline';
  return (
    <Loaded query={useQuery(messageQuery(api, id))} rows={8} whole list="/messages">
      {(message) => <MessageParts message={message} current={current} />}
    </Loaded>
  );
}

function MessageParts({ message, current }: { message: Message; current: TabId }) {
  const words = useWords(messageWords);
  const format = useFormat();
  const Tab = TABS[current];
  const { id, subject, to, from, status, next_attempt_at: next } = message;
  const ids = Object.keys(TABS) as TabId[];
  const address = addressIn(to);
  const lead = (
    <>
      <bdi>{words.to(visible(to))}</bdi>, <bdi>{words.from(visible(from))}</bdi>
    </>
  );
  return (
    <>
      <PageHeading
        title={<Foreign text={subject} none={words.noSubject} />}
        lead={lead}
        actions={<Actions message={message} />}
      />
      <div className={classes['facts']}>
        <MessageStatusMark status={status} badge />
        <FoundMark message={message} />
        {next !== null && isWaiting(status) && <span>{words.nextAttempt(format.relative(next))}</span>}
        {address !== null && NOT_THERE.has(status) && (
          <Link to={`/recipient${searchText({ address })}`}>{words.whyNot}</Link>
        )}
      </div>
      <Tabs
        current={current}
        tabs={ids.map((each) => ({ id: each, label: words.tabs[each], to: `/messages/${id}/${each}` }))}
      />
      <Suspense key={current} fallback={<Skeleton />}>
        <Tab message={message} />
      </Suspense>
    </>
  );
}

/** The seal's mark, with a check once the Evidence tab has verified it here. */
function FoundMark({ message }: { message: Message }) {
  const { data } = useQuery({ ...checkedQuery(useApi(), message), enabled: false });
  const found = data === undefined ? undefined : data.checked.verification.valid ? 'checked' : 'broken';
  return <SealMark message={message} found={found} />;
}

function Actions({ message }: { message: Message }) {
  const words = useWords(messageWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const retry = useMutation({
    mutationFn: () => api.call('POST', `/messages/${message.id}/retry`),
    onSuccess: () => toast(words.retried),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['messages'] }),
  });
  return (
    <>
      {isWaiting(message.status) && (
        <>
          <Button
            icon={RotateCw}
            unavailable={can.send}
            busy={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {words.retry}
          </Button>
          <Button icon={CircleX} unavailable={can.send} onClick={() => setAsking(true)}>
            {words.cancel}
          </Button>
        </>
      )}
      <ProveIt message={message} />
      {retry.error !== null && <Refusal error={retry.error} />}
      <Suspense>{asking && <CancelDialog message={message} onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

export const page = definePage({
  path: '/messages/$id/$tab',
  search: {},
  title: (language) => messageWords[language].title,
  queries: (api, { id = '' }) => [messageQuery(api, id)],
  Page: MessagePage,
});
