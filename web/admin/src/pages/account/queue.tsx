import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pause as PauseIcon, Play } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Pause, QueueGroup, TenantQueue } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Confirm } from '../../../../shared/ui/dialog.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Figure, Figures } from '../../../../shared/ui/figures.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import LastReplies from '../../parts/last-replies.tsx';
import classes from './page.module.css';
import { partsWords } from './parts-words.ts';
import { pausePath, queueQuery } from './queries.ts';
import type { TabProps } from './tab.ts';

const Reasons = lazy(() => import('../../../../shared/rates/reasons.tsx'));

export default function QueueTab({ tenant }: TabProps) {
  const query = useQuery(queueQuery(useApi(), tenant.id));
  return (
    <Loaded query={query} rows={6}>
      {(known) => <Known known={known} />}
    </Loaded>
  );
}

function Known({ known }: { known: TenantQueue }) {
  const words = useWords(partsWords);
  const { queue, pause, tenant_id: id, name } = known;
  return (
    <Stack>
      <div className={classes['above']}>
        <p>{words.queueLead}</p>
        <PauseSwitch id={id} name={name} pause={pause} />
      </div>
      {pause !== null && <Paused pause={pause} />}
      {queue === null ? (
        <Empty title={words.emptyQueueTitle}>{words.emptyQueue}</Empty>
      ) : (
        <Waiting known={known} queue={queue} />
      )}
    </Stack>
  );
}

function Paused({ pause: { paused_at: at, paused_by: by, reason } }: { pause: Pause }) {
  const words = useWords(partsWords);
  const format = useFormat();
  return <Notice tone="waiting">{words.pausedBy(format.dateTime(at), by, reason)}</Notice>;
}

function Waiting({ known, queue }: { known: TenantQueue; queue: QueueGroup }) {
  const words = useWords(partsWords);
  const format = useFormat();
  const { destinations, last_replies: replies, deferral_reasons: reasons } = known;
  const count = (id: 'due' | 'held' | 'waiting'): Column<QueueGroup> => ({
    id,
    head: words[id],
    end: true,
    cell: (group) => format.number(group[id]),
  });
  const columns: readonly Column<QueueGroup>[] = [
    {
      id: 'destination',
      head: words.destination,
      main: true,
      cell: ({ key }) => (
        <Link to={`/queue?destination=${encodeURIComponent(key)}`}>
          <Foreign text={key} />
        </Link>
      ),
    },
    ...[count('due'), count('held'), count('waiting')],
    {
      id: 'next',
      head: words.next,
      end: true,
      cell: ({ next_at: at }) => <Time iso={at} form="relative" />,
    },
  ];
  return (
    <>
      <Figures label={words.queue}>
        <Figure name={words.due} value={format.number(queue.due)} />
        <Figure name={words.held} value={format.number(queue.held)} />
        <Figure name={words.waiting} value={format.number(queue.waiting)} />
        <Figure name={words.capped} value={format.number(queue.capped)} />
        <Figure name={words.oldest} value={format.relative(queue.oldest_at)} />
      </Figures>
      {known.more && <p>{words.moreQueued}</p>}
      <Section title={words.destinations}>
        <Table label={words.destinations} columns={columns} rows={destinations} rowKey={({ key }) => key} />
      </Section>
      {reasons.length > 0 && (
        <Suspense>
          <Reasons reasons={reasons} waits />
        </Suspense>
      )}
      <LastReplies replies={replies} />
    </>
  );
}

interface SwitchProps {
  readonly id: string;
  readonly name: string;
  readonly pause: Pause | null;
}

function PauseSwitch({ id, name, pause }: SwitchProps) {
  const words = useWords(partsWords);
  const api = useApi();
  const format = useFormat();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const resume = useMutation({
    mutationFn: () => api.call<{ due: number }>('DELETE', pausePath(id)),
    onSuccess: ({ due }) => toast(words.resumed(format.number(due))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['tenants', id] }),
  });
  return (
    <>
      {pause === null ? (
        <Button icon={PauseIcon} onClick={() => setAsking(true)}>
          {words.pause}
        </Button>
      ) : (
        <Button icon={Play} kind="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {words.resume}
        </Button>
      )}
      {resume.error !== null && <Refusal error={resume.error} />}
      {asking && <PauseDialog id={id} name={name} onClose={() => setAsking(false)} />}
    </>
  );
}

function PauseDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const words = useWords(partsWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, error, run } = useSubmission();
  const submit = () => {
    setAsked(true);
    if (reason.trim() === '') return;
    run(async () => {
      await api.call('PUT', pausePath(id), { body: { reason: reason.trim() } });
      toast(words.pausedNow(name));
      void queryClient.invalidateQueries({ queryKey: ['tenants', id] });
      onClose();
    });
  };
  return (
    <Confirm
      title={words.pauseTitle(name)}
      action={words.pauseAction}
      busy={busy}
      onConfirm={submit}
      onClose={onClose}
    >
      <p>{words.pauseLead}</p>
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={reason}
        onChange={setReason}
        error={asked && reason.trim() === '' ? words.needsReason : null}
        required
      />
      {error !== null && <Refusal error={error} />}
    </Confirm>
  );
}
