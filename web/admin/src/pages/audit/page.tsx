import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { OperatorEvent } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import { RecordedChange } from '../../parts/recorded-change.tsx';
import { FilterBar } from './filter-bar.tsx';
import classes from './page.module.css';
import { eventsQuery, exportEvents, type Search, searchSchema } from './queries.ts';
import { auditWords } from './words.ts';

/** The operators’ actions and their results. */
function AuditPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(auditWords);
  const list = useInfiniteQuery(eventsQuery(useApi(), search));
  const columns = useColumns();
  const isFiltered = search.action !== '' || search.operator !== '' || search.tenant !== '';
  const clear = () => setSearch({ action: '', operator: '', tenant: '', days: 'all' });
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={<ExportButton search={search} />} />
      <FilterBar search={search} setSearch={setSearch} />
      <Listed
        list={list}
        rows={8}
        empty={
          isFiltered || search.days !== 'all' ? (
            <NothingMatches onClear={clear} />
          ) : (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          )
        }
      >
        {(events) => <Table label={words.title} columns={columns} rows={events} rowKey={({ id }) => id} />}
      </Listed>
    </>
  );
}

function ExportButton({ search }: { search: Search }) {
  const words = useWords(auditWords);
  const api = useApi();
  const format = useFormat();
  const toast = useToast();
  const { busy, error, run } = useSubmission();
  const start = () =>
    run(async () => {
      const { rows, complete } = await exportEvents(api, search);
      toast((complete ? words.exported : words.exportedSome)(format.number(rows)));
    });
  return (
    <>
      <Button icon={Download} busy={busy} onClick={start}>
        {words.export}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}

const TONES: Readonly<Record<OperatorEvent['outcome'], Tone>> = {
  done: 'sent',
  refused: 'waiting',
  failed: 'failed',
  cut_off: 'neutral',
};

function useColumns(): readonly Column<OperatorEvent>[] {
  const words = useWords(auditWords);
  return [
    { id: 'at', head: words.at, cell: ({ occurred_at: at }) => <Time iso={at} form="short" /> },
    {
      id: 'who',
      head: words.who,
      cell: ({ operator, client_address: address }) => (
        <div className={classes['who']}>
          <span>
            <Foreign text={operator.name} />
          </span>
          <code className={classes['quiet']}>
            <Foreign text={address} />
          </code>
        </div>
      ),
    },
    { id: 'what', head: words.what, main: true, cell: (event) => <What event={event} /> },
    {
      id: 'outcome',
      head: words.outcome,
      cell: ({ outcome }) => <Status tone={TONES[outcome]}>{words.outcomes[outcome]}</Status>,
    },
  ];
}

function What({ event }: { event: OperatorEvent }) {
  const words = useWords(auditWords);
  // A newer server may know operations that this page does not.
  const known: Readonly<Record<string, string>> = words.actions;
  const { action, subject, tenant_id: tenant, reason, error, before, after } = event;
  return (
    <div className={classes['what']}>
      {known[action] ?? action}
      {subject !== null && (
        <>
          {' '}
          <code>
            <Foreign text={subject} />
          </code>
        </>
      )}
      {tenant !== null && (
        <>
          {' · '}
          <Link to={`/tenants/${tenant}`}>{words.toAccount}</Link>
        </>
      )}
      {reason !== null && <div className={classes['quiet']}>{words.because(reason)}</div>}
      {error !== null && (
        <div className={classes['quiet']}>
          <code>{error}</code>
        </div>
      )}
      <RecordedChange before={before} after={after} />
    </div>
  );
}

export const page = definePage<Search>({
  path: '/audit',
  search: searchSchema,
  title: (language) => auditWords[language].title,
  Page: AuditPage,
});
