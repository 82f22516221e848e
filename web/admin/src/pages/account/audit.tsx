import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntry } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { accountActionWords } from '../../../../shared/audit/account-words.ts';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table, Whole } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { Listed } from '../../parts/listed.tsx';
import { RecordedChange } from '../../parts/recorded-change.tsx';
import { auditWords } from './audit-words.ts';
import classes from './page.module.css';
import { auditQuery, countFilters, NO_FILTERS, periodOf, toQuery } from './queries.ts';
import type { TabProps } from './tab.ts';

const COLUMNS = [
  ...['id', 'occurred_at', 'action', 'target', 'actor.kind', 'actor.id', 'actor.name', 'client_address'],
  ...['request_id', 'before', 'after'],
];

export default function AuditTab({ tenant: { id }, search, setSearch }: TabProps) {
  const words = useWords(auditWords);
  const list = useInfiniteQuery(auditQuery(useApi(), id, toQuery(search)));
  const columns = useColumns();
  const { actions } = useWords(accountActionWords);
  const names = Object.entries(actions);
  return (
    <>
      <div className={classes['filter']}>
        <Filters label={words.filters} active={countFilters(search)} onClear={() => setSearch(NO_FILTERS)}>
          <SelectField
            label={words.action}
            value={search.action}
            choices={[
              { value: '', label: words.anyAction },
              ...names.map(([value, label]) => ({ value, label })),
            ]}
            onChange={(action) => setSearch({ action })}
          />
          <PeriodField
            value={periodOf(search)}
            onChange={({ days: period, ...dates }) => setSearch({ period, ...dates })}
          />
        </Filters>
        <ExportButton
          name="account-audit"
          path={`/tenants/${id}/audit`}
          query={toQuery(search)}
          columns={COLUMNS}
        />
      </div>
      <Listed
        list={list}
        empty={
          countFilters(search) === 0 ? (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          ) : (
            <NothingMatches onClear={() => setSearch(NO_FILTERS)} />
          )
        }
      >
        {(entries) => (
          <Table unfolds label={words.title} columns={columns} rows={entries} rowKey={({ id: key }) => key} />
        )}
      </Listed>
    </>
  );
}

function useColumns(): readonly Column<AuditEntry>[] {
  const words = useWords(auditWords);
  // A newer server may know operations that this page does not.
  const known: Readonly<Record<string, string>> = useWords(accountActionWords).actions;
  return [
    {
      id: 'at',
      phone: 'mark',
      head: words.at,
      cell: ({ occurred_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'who',
      phone: 'below',
      head: words.who,
      cell: ({ actor }) => (
        <div className={classes['who']}>
          <span>
            <Foreign text={actor.name} />
          </span>
          <span className={classes['quiet']}>{words.kinds[actor.kind]}</span>
        </div>
      ),
    },
    {
      id: 'what',
      phone: 'lead',
      head: words.what,
      main: true,
      cell: ({ action, target, before, after }) => (
        <div className={classes['what']}>
          <Whole>
            {known[action] ?? action}
            {target !== null && (
              <>
                {' '}
                <code className={classes['target']}>
                  <Foreign text={target} />
                </code>
              </>
            )}
          </Whole>
          <RecordedChange before={before} after={after} />
        </div>
      ),
    },
    {
      id: 'from',
      head: words.from,
      cell: ({ client_address: address }) =>
        address !== null && (
          <code>
            <Foreign text={address} />
          </code>
        ),
    },
  ];
}
