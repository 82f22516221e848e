import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleX, Eraser, RotateCw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { OperatorMessage } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { visible } from '../../../../shared/format/foreign-text.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { MessageStatusMark, SealMark } from '../../../../shared/mail/status.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Skeleton } from '../../../../shared/ui/states.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import { isWaiting, messageQuery, retry, type Search, searchSchema } from './queries.ts';
import { Record, Windows } from './record.tsx';
import { messageWords } from './words.ts';

const CancelDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).CancelDialog }));
const EraseDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).EraseDialog }));
const Content = lazy(async () => ({ default: (await import('./content.tsx')).Content }));

/** One message of any account: its record, why it waits, and, with a reason, what it says. */
function MessagePage({ params: { id = '' }, search, setSearch }: PageProps<Search>) {
  return (
    <Loaded query={useQuery(messageQuery(useApi(), id))} rows={8} whole list="/messages">
      {(message) => (
        <Shown
          message={message}
          isErasing={search.do === 'erase'}
          onErase={(asks) => setSearch({ do: asks ? 'erase' : '' }, { replace: true })}
        />
      )}
    </Loaded>
  );
}

interface ShownProps {
  readonly message: OperatorMessage;
  readonly isErasing: boolean;
  readonly onErase: (asks: boolean) => void;
}

function Shown({ message, isErasing, onErase }: ShownProps) {
  const words = useWords(messageWords);
  const format = useFormat();
  const { recipient, sender, status, queue, tenant_id: tenant, tenant_name: account, why } = message;
  const lead = (
    <>
      <bdi>{words.from(visible(sender))}</bdi> ·{' '}
      <Link to={`/tenants/${tenant}`}>
        <Foreign text={account} />
      </Link>
    </>
  );
  return (
    <>
      <PageHeading
        title={<Foreign text={recipient} breaks />}
        lead={lead}
        actions={<Actions message={message} onErase={() => onErase(true)} />}
      />
      <div className={classes['facts']}>
        <MessageStatusMark status={status} badge />
        <SealMark message={message} />
        {queue !== null && isWaiting(status) && <span>{words.next(format.relative(queue.due_at))}</span>}
      </div>
      <Stack>
        {why.length > 0 && (
          <section className={classes['why']} aria-label={words.why}>
            <h2>{isWaiting(status) ? words.why : words.how}</h2>
            <ul>
              {why.map((sentence) => (
                <li key={sentence}>
                  <Said text={sentence} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <Record message={message} />
        {message.windows.length > 0 && <Windows windows={message.windows} />}
        <Suspense fallback={<Skeleton rows={3} />}>
          <Content message={message} />
        </Suspense>
      </Stack>
      <Suspense>{isErasing && <EraseDialog message={message} onClose={() => onErase(false)} />}</Suspense>
    </>
  );
}

function Actions({ message, onErase }: { message: OperatorMessage; onErase: () => void }) {
  const words = useWords(messageWords);
  const api = useApi();
  const can = useCan();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [cancelling, setCancelling] = useState(false);
  const { busy, error, run } = useSubmission();
  const { message_id: id, status } = message;
  const start = () =>
    run(async () => {
      try {
        await retry(api, id);
        toast(words.retried);
      } finally {
        void queryClient.invalidateQueries({ queryKey: ['messages', id, 'record'] });
      }
    });
  return (
    <>
      {isWaiting(status) && (
        <>
          <Button
            icon={RotateCw}
            busy={busy}
            unavailable={status === 'deferred' ? null : words.notDeferred}
            onClick={start}
          >
            {words.retry}
          </Button>
          <Button icon={CircleX} onClick={() => setCancelling(true)}>
            {words.cancel}
          </Button>
        </>
      )}
      <Button
        icon={Eraser}
        kind="danger"
        unavailable={can.administer ?? (isWaiting(status) ? words.stillWaiting : null)}
        onClick={onErase}
      >
        {words.erase}
      </Button>
      {error !== null && <Refusal error={error} />}
      <Suspense>{cancelling && <CancelDialog id={id} onClose={() => setCancelling(false)} />}</Suspense>
    </>
  );
}

export const page = definePage<Search>({
  path: '/messages/$id',
  search: searchSchema,
  title: (language) => messageWords[language].title,
  queries: (api, { id = '' }) => [messageQuery(api, id)],
  Page: MessagePage,
});
