import { useInfiniteQuery } from '@tanstack/react-query';
import { FileUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { GlobalSuppression } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SaveButton } from '../../../../shared/ui/save-button.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { Listed } from '../../parts/listed.tsx';
import { AddDialog, ImportDialog, RemoveDialog } from './dialogs.tsx';
import classes from './page.module.css';
import {
  countFilters,
  exportFile,
  NO_FILTERS,
  type Search,
  searchSchema,
  suppressionsQuery,
} from './queries.ts';
import { suppressionsWords } from './words.ts';

/** Addresses that nothing is sent to, whatever the account. */
function SuppressionsPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(suppressionsWords);
  const can = useCan();
  const list = useInfiniteQuery(suppressionsQuery(useApi(), search));
  const [open, setOpen] = useState<'add' | 'import' | null>(null);
  const [removing, setRemoving] = useState<GlobalSuppression | null>(null);
  const columns = useColumns(setRemoving);
  const close = () => setOpen(null);
  const addButton = (
    <Button kind="primary" icon={Plus} unavailable={can.administer} onClick={() => setOpen('add')}>
      {words.add}
    </Button>
  );
  const actions = (
    <>
      <Button icon={FileUp} unavailable={can.administer} onClick={() => setOpen('import')}>
        {words.import}
      </Button>
      <ExportButton search={search} />
      {addButton}
    </>
  );
  const empty =
    search.q === '' && countFilters(search) === 0 ? (
      <Empty title={words.emptyTitle} action={addButton}>
        {words.empty}
      </Empty>
    ) : (
      <NothingMatches onClear={() => setSearch(NO_FILTERS)} />
    );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <Filters
        label={words.filters}
        active={countFilters(search)}
        onClear={() => setSearch({ ...NO_FILTERS, q: search.q })}
      >
        <SearchField
          label={words.find}
          placeholder={words.findHint}
          value={search.q}
          onChange={(q) => setSearch({ q }, { replace: true })}
        />
        <PeriodField value={search} onChange={setSearch} />
      </Filters>
      <Listed list={list} empty={empty}>
        {(rows) => (
          <Table
            unfolds
            label={words.title}
            columns={columns}
            rows={rows}
            rowKey={({ address }) => address}
          />
        )}
      </Listed>
      {open === 'add' && <AddDialog onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} />}
      {removing !== null && <RemoveDialog entry={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function ExportButton({ search }: { search: Search }) {
  const words = useWords(suppressionsWords);
  const api = useApi();
  return <SaveButton label={words.export} name="suppressions.csv" read={() => exportFile(api, search)} />;
}

function useColumns(onRemove: (entry: GlobalSuppression) => void): readonly Column<GlobalSuppression>[] {
  const words = useWords(suppressionsWords);
  const can = useCan();
  return [
    {
      id: 'address',
      phone: 'lead',
      head: words.address,
      cell: ({ address }) => (
        <span className={classes['address']}>
          <Foreign text={address} />
        </span>
      ),
    },
    {
      id: 'reason',
      phone: 'below',
      head: words.reason,
      main: true,
      cell: ({ reason }) => <Foreign text={reason} />,
    },
    {
      id: 'added',
      head: words.added,
      cell: ({ created_at: at }) => <Time iso={at} form="date" />,
    },
    {
      id: 'remove',
      head: words.actions,
      end: true,
      cell: (entry) => (
        <Button
          kind="icon"
          icon={Trash2}
          label={words.removeNamed(entry.address)}
          unavailable={can.administer}
          onClick={() => onRemove(entry)}
        />
      ),
    },
  ];
}

export const page = definePage<Search>({
  path: '/suppressions',
  search: searchSchema,
  title: (language) => suppressionsWords[language].title,
  Page: SuppressionsPage,
});
