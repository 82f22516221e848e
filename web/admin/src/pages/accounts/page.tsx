import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Tenant } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { useMoney } from '../../parts/currency.ts';
import { Listed } from '../../parts/listed.tsx';
import { TenantStatusMark } from '../../parts/tenant-status.tsx';
import { tenantWords } from '../../parts/tenant-words.ts';
import { NewAccount } from './new-account.tsx';
import classes from './page.module.css';
import { type Search, STATUSES, searchSchema, tenantsQuery } from './queries.ts';
import { accountsWords } from './words.ts';

const COLUMNS = [
  ...['id', 'name', 'status', 'sandbox', 'source_pool', 'quota_messages_month', 'price_per_message_cents'],
  ...['quota_plain_messages_month', 'price_per_plain_message_cents', 'created_at'],
];

/** The customers of the installation. */
function AccountsPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(accountsWords);
  const common = useWords(tenantWords);
  const can = useCan();
  const [creating, setCreating] = useState(false);
  const list = useInfiniteQuery(tenantsQuery(useApi(), search));
  const columns = useColumns();
  const create = (
    <Button kind="primary" icon={Plus} unavailable={can.administer} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  const actions = (
    <>
      <ExportButton
        name="accounts"
        path="/tenants"
        query={{ q: search.q, status: search.status }}
        columns={COLUMNS}
      />
      {create}
    </>
  );
  const isFiltered = search.q !== '' || search.status !== '';
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <Filters
        label={words.filters}
        active={search.status === '' ? 0 : 1}
        onClear={() => setSearch({ status: '' })}
      >
        <SearchField
          label={words.search}
          placeholder={words.searchHint}
          value={search.q}
          onChange={(q) => setSearch({ q: q.trim() }, { replace: true })}
        />
        <SelectField
          label={words.status}
          value={search.status}
          choices={[
            { value: '', label: words.anyStatus },
            ...STATUSES.map((value) => ({ value, label: common.statuses[value] })),
          ]}
          onChange={(status) => setSearch({ status })}
        />
      </Filters>
      <Listed
        list={list}
        rows={8}
        empty={
          isFiltered ? (
            <NothingMatches onClear={() => setSearch({ q: '', status: '' })} />
          ) : (
            <Empty title={words.emptyTitle}>{words.empty}</Empty>
          )
        }
      >
        {(tenants) => <Table label={words.title} columns={columns} rows={tenants} rowKey={({ id }) => id} />}
      </Listed>
      {creating && <NewAccount onClose={() => setCreating(false)} />}
    </>
  );
}

function useColumns(): readonly Column<Tenant>[] {
  const words = useWords(accountsWords);
  const format = useFormat();
  const money = useMoney();
  const quota = (
    id: 'certified' | 'plain',
    limit: 'quota_messages_month' | 'quota_plain_messages_month',
    price: 'price_per_message_cents' | 'price_per_plain_message_cents',
  ): Column<Tenant> => ({
    id,
    head: words.quotas[id],
    end: true,
    cell: (tenant) => (
      <div className={classes['quota']}>
        <span>{format.number(tenant[limit])}</span>
        <span className={classes['quiet']}>{words.each(money(tenant[price]))}</span>
      </div>
    ),
  });
  return [
    { id: 'name', phone: 'lead', head: words.name, main: true, cell: (tenant) => <Name tenant={tenant} /> },
    {
      id: 'status',
      phone: 'mark',
      head: words.status,
      cell: ({ status }) => <TenantStatusMark status={status} />,
    },
    quota('certified', 'quota_messages_month', 'price_per_message_cents'),
    quota('plain', 'quota_plain_messages_month', 'price_per_plain_message_cents'),
    {
      id: 'created',
      phone: 'corner',
      head: words.created,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
  ];
}

const DEFAULT_POOL = 'default';

function Name({ tenant: { id, name, sandbox, source_pool: pool } }: { tenant: Tenant }) {
  const words = useWords(accountsWords);
  const common = useWords(tenantWords);
  return (
    <div className={classes['name']}>
      <Link to={`/tenants/${id}`}>
        <Foreign text={name} />
      </Link>
      {sandbox && <span className={classes['quiet']}>{common.sandbox}</span>}
      {pool !== DEFAULT_POOL && <span className={classes['quiet']}>{words.pool(pool)}</span>}
    </div>
  );
}

export const page = definePage<Search>({
  path: '/tenants',
  search: searchSchema,
  title: (language) => accountsWords[language].title,
  Page: AccountsPage,
});
