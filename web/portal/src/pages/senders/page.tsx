import {
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Domain, Sender } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button, ButtonLink } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NothingMatches, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status } from '../../../../shared/ui/status.tsx';
import { type Column, Table, Whole } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { allDomainsQuery } from '../../parts/domain-queries.ts';
import classes from './page.module.css';
import { type Search, searchSchema, sendersQuery } from './queries.ts';
import { sendersWords } from './words.ts';

const SenderDialog = lazy(() => import('./dialogs.tsx'));

const COLUMNS = ['id', 'address', 'domain_id', 'active', 'created_at'];

function countFilters({ domain_id: domain, active }: Search): number {
  return [domain, active].filter((each) => each !== '').length;
}

function SendersPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(sendersWords);
  const api = useApi();
  const can = useCan();
  const known = useQuery(allDomainsQuery(api));
  const domains = known.data;
  /** Null: a new one. */
  const [asking, setAsking] = useState<Sender | null | undefined>(undefined);
  const unavailable = can.send ?? (domains?.length === 0 ? words.noDomains : null);
  const add = (
    <Button kind="primary" icon={Plus} unavailable={unavailable} onClick={() => setAsking(null)}>
      {words.add}
    </Button>
  );
  const actions = (
    <>
      <ExportButton name="senders" path="/senders" query={{ ...search }} columns={COLUMNS} />
      {add}
    </>
  );
  const clear = () => setSearch({ domain_id: '', active: '' });
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <div className={classes['filters']}>
        <Filters label={words.filters} active={countFilters(search)} onClear={clear}>
          <SelectField
            label={words.domain}
            value={search.domain_id}
            choices={[
              { value: '', label: words.anyDomain },
              ...(domains ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(id) => setSearch({ domain_id: id })}
          />
          <SelectField
            label={words.state}
            value={search.active}
            choices={[
              { value: '', label: words.anyState },
              { value: 'true', label: words.on },
              { value: 'false', label: words.off },
            ]}
            onChange={(active) => setSearch({ active })}
          />
        </Filters>
      </div>
      <SenderList
        search={search}
        known={known}
        add={domains?.length === 0 ? <ButtonLink to="/domains">{words.toDomains}</ButtonLink> : add}
        onDelete={setAsking}
        onClear={clear}
      />
      <Suspense>
        {asking !== undefined && (
          <SenderDialog
            sender={asking}
            domains={domains ?? []}
            domainId={search.domain_id}
            onClose={() => setAsking(undefined)}
          />
        )}
      </Suspense>
    </>
  );
}

interface ListProps {
  readonly search: Search;
  readonly known: UseQueryResult<readonly Domain[]>;
  /** The next step where there are none. */
  readonly add: ReactNode;
  readonly onDelete: (sender: Sender) => void;
  readonly onClear: () => void;
}

function SenderList({ search, known, add, onDelete, onClear }: ListProps) {
  const words = useWords(sendersWords);
  const api = useApi();
  const toast = useToast();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(sendersQuery(api, search));
  const change = useMutation({
    mutationFn: ({ id, active }: Sender) =>
      api.call<Sender>('PATCH', `/senders/${id}`, { body: { active: !active } }),
    onSuccess: ({ address, active }) =>
      toast(active ? words.switchedOn(address) : words.switchedOff(address)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['senders'] }),
  });
  const columns = useColumns(known.data ?? [], { onSwitch: change.mutate, onDelete });
  const queries = [list, known];
  if (list.data === undefined || known.data === undefined) return <NotLoaded queries={queries} rows={4} />;
  const rows = list.data.pages.flatMap(({ data }) => data);
  return (
    <>
      {change.error !== null && <Refusal error={change.error} />}
      <Stale queries={queries} />
      {rows.length === 0 && countFilters(search) > 0 && <NothingMatches onClear={onClear} />}
      {rows.length === 0 && countFilters(search) === 0 && (
        <Empty title={words.emptyTitle} action={add}>
          {words.empty}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <Table unfolds label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
          <Pager
            onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
            busy={list.isFetchingNextPage}
          />
        </>
      )}
    </>
  );
}

interface RowActions {
  readonly onSwitch: (sender: Sender) => void;
  readonly onDelete: (sender: Sender) => void;
}

function useColumns(domains: readonly Domain[], actions: RowActions): readonly Column<Sender>[] {
  const words = useWords(sendersWords);
  const can = useCan();
  const byId = new Map(domains.map((domain) => [domain.id, domain]));
  return [
    {
      id: 'address',
      phone: 'lead',
      head: words.address,
      main: true,
      cell: ({ address }) => (
        <>
          <strong>
            <Foreign text={address} />
          </strong>
          {address.startsWith('*@') && <div className={classes['note']}>{words.all}</div>}
        </>
      ),
    },
    {
      id: 'state',
      phone: 'mark',
      head: words.state,
      cell: (sender) => <SenderState sender={sender} domain={byId.get(sender.domain_id)} />,
    },
    {
      id: 'created',
      phone: 'corner',
      head: words.created,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
    {
      id: 'actions',
      head: words.actions,
      end: true,
      cell: (sender) => (
        <div className={classes['actions']}>
          <Button kind="quiet" unavailable={can.send} onClick={() => actions.onSwitch(sender)}>
            {sender.active ? words.switchOff : words.switchOn}
          </Button>
          <Button
            kind="icon"
            icon={Trash2}
            label={words.removeNamed(sender.address)}
            unavailable={can.send}
            onClick={() => actions.onDelete(sender)}
          />
        </div>
      ),
    },
  ];
}

/** Approved is not enough while its domain may not send. */
function SenderState({ sender: { active }, domain }: { sender: Sender; domain: Domain | undefined }) {
  const words = useWords(sendersWords);
  if (!active) return <Status tone="neutral">{words.off}</Status>;
  if (domain === undefined || domain.status === 'verified') return <Status tone="sent">{words.on}</Status>;
  const isPending = domain.status === 'pending';
  return (
    <>
      <Whole>
        <Status tone={isPending ? 'waiting' : 'failed'}>{isPending ? words.waits : words.failing}</Status>
      </Whole>
      <div className={classes['note']}>
        <Link to={`/domains/${domain.id}`}>
          <Foreign text={domain.name} />
        </Link>
      </div>
    </>
  );
}

export const page = definePage<Search>({
  path: '/senders',
  search: searchSchema,
  title: (language) => sendersWords[language].title,
  Page: SendersPage,
});
