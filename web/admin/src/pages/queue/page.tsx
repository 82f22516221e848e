import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pause, Play, RotateCw, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ListedPause, Queue, QueueGroup } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField, TextField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded, NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { capsQuery } from './cap-queries.ts';
import { CancelDialog, PauseDialog, RetryDialog } from './dialogs.tsx';
import { Notes } from './notes.tsx';
import classes from './page.module.css';
import {
  destinationQuery,
  nameOf,
  notesQuery,
  queueQuery,
  resume,
  type Search,
  searchSchema,
  type Target,
} from './queries.ts';
import { queueWords } from './words.ts';

const COLUMNS = ['key', 'due', 'held', 'waiting', 'capped', 'oldest_at', 'next_at'];

/** Most visits are for what waits. */
const Caps = lazy(() => import('./caps.tsx'));
const Why = lazy(() => import('./why.tsx'));

function QueuePage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(queueWords);
  const query = useQuery(queueQuery(useApi(), search));
  const choices = (['destination', 'tenant', 'age'] as const).map((value) => ({
    value,
    label: words.keys[value],
  }));
  return (
    <>
      <PageHeading
        title={words.title}
        actions={
          <ExportButton
            name={`queue-by-${search.by}`}
            path="/queue"
            query={{ by: search.by, destination: search.destination }}
            columns={COLUMNS}
            whole="groups"
          />
        }
      />
      <Filters
        label={words.filters}
        active={search.by === 'destination' ? 0 : 1}
        onClear={() => setSearch({ by: 'destination' })}
      >
        <TextField
          label={words.find}
          type="search"
          placeholder={words.findHint}
          value={search.destination}
          onChange={(destination) => setSearch({ destination }, { replace: true })}
        />
        <SelectField
          label={words.by}
          value={search.by}
          choices={choices}
          onChange={(by) => setSearch({ by })}
        />
      </Filters>
      <Loaded query={query} rows={8}>
        {(queue) => <Groups queue={queue} search={search} onClear={() => setSearch({ destination: '' })} />}
      </Loaded>
      {search.by === 'destination' && (
        <div className={classes['notes']}>
          {isDomain(search.destination) && (
            <Suspense>
              <Why destination={search.destination} />
            </Suspense>
          )}
          <Notes destination={search.destination} />
          <Suspense>
            <Caps />
          </Suspense>
        </div>
      )}
    </>
  );
}

/** A line of the table: what waits, what is paused, or both. */
interface Line {
  readonly key: string;
  readonly group: QueueGroup | null;
  readonly paused: ListedPause | null;
  /** Null: an age, which is nobody's to pause. */
  readonly target: Target | null;
}

function linesOf({ by, groups, paused }: Queue, wanted: string): readonly Line[] {
  if (by === 'age') return groups.map((group) => ({ key: group.key, group, paused: null, target: null }));
  const field = by === 'destination' ? 'destination' : 'tenant_id';
  const pauses = new Map(
    paused.flatMap((each) => (each[field] === undefined ? [] : [[each[field], each] as const])),
  );
  const waiting = groups.map((group) => group.key);
  const only = [...pauses.keys()].filter(
    (key) => !waiting.includes(key) && (wanted === '' || key === wanted),
  );
  const line = (key: string, group: QueueGroup | null): Line => ({
    ...{ key, group, paused: pauses.get(key) ?? null },
    target: by === 'destination' ? { destination: key } : { tenant_id: key },
  });
  return [...groups.map((group) => line(group.key, group)), ...only.map((key) => line(key, null))];
}

interface GroupsProps {
  readonly queue: Queue;
  readonly search: Search;
  readonly onClear: () => void;
}

function Groups({ queue, search, onClear }: GroupsProps) {
  const words = useWords(queueWords);
  const format = useFormat();
  const columns = useColumns(queue.by);
  const lines = linesOf(queue, search.destination);
  if (lines.length === 0) {
    if (search.destination === '') return <Empty title={words.emptyTitle}>{words.empty}</Empty>;
    if (queue.by !== 'destination' || !isDomain(search.destination))
      return <NothingMatches onClear={onClear} />;
    const target = { destination: search.destination };
    return (
      <Empty
        title={words.emptyTitle}
        action={
          <div className={classes['empty']}>
            <Actions target={target} isPaused={false} isEmpty />
          </div>
        }
      >
        {words.nothingWaits(search.destination)}
      </Empty>
    );
  }
  const { total } = queue;
  const sum = total === null ? 0 : total.due + total.held + total.waiting;
  return (
    <>
      <p className={classes['total']}>
        {words.total(format.number(sum))} {queue.more && words.more}{' '}
        {isDomain(search.destination) && (
          <Link to={`/messages${searchText({ q: search.destination, status: 'deferred' })}`}>
            {words.toMessages}
          </Link>
        )}
      </p>
      <Table label={words.title} columns={columns} rows={lines} rowKey={({ key }) => key} />
    </>
  );
}

/** True for a whole domain name; one that is still being typed is not whole. */
function isDomain(text: string): boolean {
  return /^[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);
}

function useColumns(by: Queue['by']): readonly Column<Line>[] {
  const words = useWords(queueWords);
  const format = useFormat();
  const count = (id: 'due' | 'held'): Column<Line> => ({
    id,
    head: words[id],
    end: true,
    cell: ({ group }) => format.number(group?.[id] ?? 0),
  });
  const waiting: Column<Line> = {
    id: 'waiting',
    head: words.waiting,
    end: true,
    cell: ({ group }) => {
      const capped = group?.capped ?? 0;
      return (
        <>
          {format.number(group?.waiting ?? 0)}
          {capped > 0 && <div className={classes['capped']}>{words.capped(format.number(capped))}</div>}
        </>
      );
    },
  };
  const time = (id: 'oldest_at' | 'next_at', head: string): Column<Line> => ({
    id,
    head,
    end: true,
    cell: ({ group, paused }) =>
      group !== null && (
        <div className={classes['when']}>
          {id === 'next_at' && paused !== null ? words.onceResumed : <Time iso={group[id]} form="relative" />}
        </div>
      ),
  });
  const actions: Column<Line> = {
    id: 'actions',
    head: words.actions,
    end: true,
    cell: ({ target, paused, group }) =>
      target !== null && <Actions target={target} isPaused={paused !== null} isEmpty={group === null} />,
  };
  return [
    { id: 'name', head: words.keys[by], main: true, cell: (line) => <Name line={line} /> },
    ...[count('due'), count('held'), waiting],
    ...[time('oldest_at', words.oldest), time('next_at', words.next)],
    ...(by === 'age' ? [] : [actions]),
  ];
}

function Name({ line: { key, paused, target } }: { line: Line }) {
  const words = useWords(queueWords);
  const isAccount = target !== null && 'tenant_id' in target;
  const to = isAccount ? `/tenants/${key}/queue` : `/queue${searchText({ destination: key })}`;
  return (
    <>
      <div className={classes['name']}>
        {target === null ? (
          key
        ) : (
          <Link to={to}>
            <Foreign text={key} breaks />
          </Link>
        )}
      </div>
      {paused !== null && (
        <div className={classes['paused']}>
          <Status tone="waiting">{words.paused}</Status> {words.pausedBy(paused.paused_by, paused.reason)}
        </div>
      )}
    </>
  );
}

function Actions({ target, isPaused, isEmpty }: { target: Target; isPaused: boolean; isEmpty: boolean }) {
  const words = useWords(queueWords);
  const [open, setOpen] = useState<'pause' | 'retry' | 'cancel' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className={classes['actions']}>
      {isPaused ? (
        <ResumeButton target={target} />
      ) : (
        <Button kind="quiet" icon={Pause} onClick={() => setOpen('pause')}>
          {words.pause}
        </Button>
      )}
      {!isEmpty && !isPaused && (
        <Button kind="quiet" icon={RotateCw} onClick={() => setOpen('retry')}>
          {words.retry}
        </Button>
      )}
      {!isEmpty && (
        <Button kind="quiet" icon={X} onClick={() => setOpen('cancel')}>
          {words.cancel}
        </Button>
      )}
      {open === 'pause' && <PauseDialog target={target} onClose={close} />}
      {open === 'retry' && <RetryDialog target={target} onClose={close} />}
      {open === 'cancel' && <CancelDialog target={target} onClose={close} />}
    </div>
  );
}

function ResumeButton({ target }: { target: Target }) {
  const words = useWords(queueWords);
  const api = useApi();
  const format = useFormat();
  const toast = useToast();
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState(false);
  async function run() {
    setBusy(true);
    try {
      const { due = 0 } = await resume(api, target);
      toast(words.resumed(nameOf(target), format.number(due)));
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: ['queue'] });
    }
  }
  return (
    <Button kind="quiet" icon={Play} busy={busy} onClick={() => void run()}>
      {words.resume}
    </Button>
  );
}

export const page = definePage<Search>({
  path: '/queue',
  search: searchSchema,
  title: (language) => queueWords[language].title,
  queries: (api, _params, search) => [
    queueQuery(api, search),
    notesQuery(api, search.destination),
    ...(isDomain(search.destination) ? [destinationQuery(api, search.destination)] : []),
    capsQuery(api),
  ],
  Page: QueuePage,
});
