import { useInfiniteQuery } from '@tanstack/react-query';
import type { OperatorEvent } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { usePreferences } from '../../../../shared/app/preferences.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { ALL_TIME } from '../../../../shared/routing/period.ts';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table, Whole } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { capScopeText } from '../../../../shared/words/cap-scope.ts';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import { RecordedChange } from '../../parts/recorded-change.tsx';
import { FilterBar } from './filter-bar.tsx';
import classes from './page.module.css';
import { countFilters, eventsQuery, queryOf, type Search, searchSchema } from './queries.ts';
import { auditWords } from './words.ts';

const COLUMNS = [
  ...['id', 'occurred_at', 'action', 'outcome', 'tenant_id', 'subject', 'reason', 'error', 'client_address'],
  ...['request_id', 'operator.id', 'operator.name', 'before', 'after'],
];

/** The operators’ actions and their results. */
function AuditPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(auditWords);
  const list = useInfiniteQuery(eventsQuery(useApi(), search));
  const columns = useColumns();
  const clear = () => setSearch({ action: '', operator: '', tenant: '', ...ALL_TIME });
  return (
    <>
      <PageHeading
        title={words.title}
        lead={words.lead}
        actions={<ExportButton name="acuse-audit" path="/audit" query={queryOf(search)} columns={COLUMNS} />}
      />
      <FilterBar search={search} setSearch={setSearch} />
      <Listed
        list={list}
        rows={8}
        empty={
          countFilters(search) > 0 || search.tenant !== '' || search.days !== 'all' ? (
            <NothingMatches onClear={clear} />
          ) : (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          )
        }
      >
        {(events) => (
          <Table unfolds label={words.title} columns={columns} rows={events} rowKey={({ id }) => id} />
        )}
      </Listed>
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
    {
      id: 'at',
      phone: 'side',
      head: words.at,
      cell: ({ occurred_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'who',
      phone: 'below',
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
    { id: 'what', phone: 'lead', head: words.what, main: true, cell: (event) => <What event={event} /> },
    {
      id: 'outcome',
      phone: 'mark',
      head: words.outcome,
      cell: ({ outcome }) => <Status tone={TONES[outcome]}>{words.outcomes[outcome]}</Status>,
    },
  ];
}

function What({ event }: { event: OperatorEvent }) {
  const words = useWords(auditWords);
  const { language } = usePreferences();
  // A newer server may know operations that this page does not.
  const known: Readonly<Record<string, string>> = words.actions;
  const { action, subject, tenant_id: tenant, reason, error, before, after } = event;
  return (
    <div className={classes['what']}>
      <Whole>
        {known[action] ?? action}
        {subject !== null && (
          <>
            {' '}
            <code>
              <Foreign text={action === 'queue.cap' ? capScopeText(subject, language) : subject} />
            </code>
          </>
        )}
        {tenant !== null && (
          <span>
            {' · '}
            <Link to={`/tenants/${tenant}`}>{words.toAccount}</Link>
          </span>
        )}
      </Whole>
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
