import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { oneOf } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { Loaded, NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { domainsQuery, recordsFound } from '../../parts/domain-queries.ts';
import { DomainStatusMark } from '../../parts/domain-status.tsx';
import { domainWords } from '../../parts/domain-words.ts';
import { AddDomain } from './add-domain.tsx';
import classes from './page.module.css';
import { domainsWords } from './words.ts';

const STATUSES = ['pending', 'verified', 'failing'] as const satisfies readonly Domain['status'][];

const COLUMNS = [
  ...['id', 'name', 'status', 'readiness', 'failing_records', 'checked_at', 'grace_until', 'verified_at'],
  'created_at',
];

interface Search {
  readonly status: Domain['status'] | '';
}

function DomainsPage({ search: { status }, setSearch }: PageProps<Search>) {
  const words = useWords(domainsWords);
  const names = useWords(domainWords);
  const api = useApi();
  const can = useCan();
  const list = useInfiniteQuery(domainsQuery(api, status));
  const columns = useColumns();
  const [adding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon={Plus} unavailable={can.send} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  const actions = (
    <>
      <ExportButton name="domains" path="/domains" query={{ status }} columns={COLUMNS} />
      {add}
    </>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <div className={classes['filters']}>
        <Filters
          label={words.filters}
          active={status === '' ? 0 : 1}
          onClear={() => setSearch({ status: '' })}
        >
          <SelectField
            label={words.status}
            value={status}
            choices={[
              { value: '', label: words.anyStatus },
              ...STATUSES.map((value) => ({ value, label: names.statuses[value] })),
            ]}
            onChange={(next) => setSearch({ status: next })}
          />
        </Filters>
      </div>
      <Loaded query={list} rows={4}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0 && status !== '')
            return <NothingMatches onClear={() => setSearch({ status: '' })} />;
          if (rows.length === 0)
            return (
              <Empty title={words.emptyTitle} action={add}>
                {words.empty}
              </Empty>
            );
          return (
            <>
              <Table label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
              <Pager
                onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
                busy={list.isFetchingNextPage}
              />
            </>
          );
        }}
      </Loaded>
      {adding && <AddDomain onClose={() => setAdding(false)} />}
    </>
  );
}

function useColumns(): readonly Column<Domain>[] {
  const words = useWords(domainsWords);
  const format = useFormat();
  return [
    {
      id: 'name',
      phone: 'lead',
      head: words.name,
      main: true,
      cell: ({ id, name }) => (
        <Link to={`/domains/${id}`} className={classes['name']}>
          <Foreign text={name} />
        </Link>
      ),
    },
    {
      id: 'status',
      phone: 'mark',
      head: words.status,
      cell: (domain) => <DomainStatusMark domain={domain} />,
    },
    {
      id: 'records',
      phone: 'below',
      head: words.records,
      cell(domain) {
        const { found, all } = recordsFound(domain);
        const text = words.recordsFound(format.number(found), format.number(all));
        return <span className={classes['fact']}>{isVouched(domain) ? words.vouched : text}</span>;
      },
    },
    {
      id: 'checked',
      head: words.checked,
      cell: ({ checked_at: at }) => (at === null ? words.never : <Time iso={at} form="relative" />),
    },
    {
      id: 'created',
      head: words.created,
      end: true,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
  ];
}

/** Verified without a look-up: the sandbox's own, and what the operator knows. */
function isVouched({ status, checked_at: checkedAt }: Domain): boolean {
  return status === 'verified' && checkedAt === null;
}

export const page = definePage<Search>({
  path: '/domains',
  search: { status: oneOf(['', ...STATUSES], '') },
  title: (language) => domainsWords[language].title,
  Page: DomainsPage,
});
