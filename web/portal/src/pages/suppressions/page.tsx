import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp, Plus, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Suppression } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { Loaded, NothingMatches, Stale } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SaveButton } from '../../../../shared/ui/save-button.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import classes from './page.module.css';
import {
  countFilters,
  isAddress,
  NO_FILTERS,
  newestQuery,
  type Search,
  SOURCES,
  searchSchema,
  suppressionsQuery,
  toQuery,
} from './queries.ts';
import { suppressionsWords } from './words.ts';

const AddDialog = lazy(() => import('./add-dialog.tsx'));
const ImportDialog = lazy(() => import('./import-dialog.tsx'));
const RemoveDialog = lazy(() => import('./remove-dialog.tsx'));

function SuppressionsPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(suppressionsWords);
  const can = useCan();
  const [asking, setAsking] = useState<'add' | 'import' | null>(null);
  const api = useApi();
  const importButton = (
    <Button icon={FileUp} unavailable={can.suppress} onClick={() => setAsking('import')}>
      {words.import}
    </Button>
  );
  const actions = (
    <>
      {importButton}
      <SaveButton
        label={words.export}
        name="suppressions.csv"
        read={() => api.bytes('/suppressions/export', { query: toQuery(search) })}
      />
      <Button kind="primary" icon={Plus} unavailable={can.suppress} onClick={() => setAsking('add')}>
        {words.add}
      </Button>
    </>
  );
  const close = () => setAsking(null);
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={actions} />
      <FilterBar search={search} setSearch={setSearch} />
      <SuppressionList
        // Selection belongs to the shown list.
        key={JSON.stringify(search)}
        search={search}
        empty={
          <Empty title={words.emptyTitle} action={importButton}>
            {words.empty}
          </Empty>
        }
        onClear={() => setSearch(NO_FILTERS)}
      />
      <Suspense>
        {asking === 'add' && <AddDialog onClose={close} />}
        {asking === 'import' && <ImportDialog onClose={close} />}
      </Suspense>
    </>
  );
}

function FilterBar({ search, setSearch }: Pick<PageProps<Search>, 'search' | 'setSearch'>) {
  const words = useWords(suppressionsWords);
  return (
    <Filters
      label={words.filters}
      active={countFilters(search)}
      onClear={() => setSearch({ ...NO_FILTERS, address: search.address })}
    >
      <SearchField
        label={words.search}
        placeholder={words.searchHint}
        value={search.address}
        error={search.address === '' || isAddress(search.address) ? null : words.notAnAddress}
        onChange={(address) => setSearch({ address }, { replace: true })}
      />
      <SelectField
        label={words.source}
        value={search.source}
        choices={[
          { value: '', label: words.anySource },
          ...SOURCES.map((value) => ({ value, label: words.sources[value] })),
        ]}
        onChange={(source) => setSearch({ source })}
      />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}

interface ListProps {
  readonly search: Search;
  readonly empty: ReactNode;
  readonly onClear: () => void;
}

function SuppressionList({ search, empty, onClear }: ListProps) {
  const words = useWords(suppressionsWords);
  const api = useApi();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(suppressionsQuery(api, search));
  const news = useQuery(newestQuery(api, search));
  const newest = news.data?.data ?? [];
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [removing, setRemoving] = useState<readonly Suppression[] | null>(null);
  const toggle = (id: string) =>
    setSelected(
      (before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]),
    );
  const columns = useColumns(selected, toggle);
  const showNew = () => void queryClient.resetQueries({ queryKey: ['suppressions', 'list', search] });
  return (
    <>
      <Loaded query={list} rows={6}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          const [first] = rows;
          const fresh = first === undefined ? newest.length : newest.findIndex(({ id }) => id === first.id);
          if (rows.length === 0 && fresh <= 0)
            return (
              <>
                <Stale queries={[news]} />
                {countFilters(search) > 0 || search.address !== '' ? (
                  <NothingMatches onClear={onClear} />
                ) : (
                  empty
                )}
              </>
            );
          return (
            <>
              <Stale queries={[news]} />
              <div className={classes['new']} aria-live="polite">
                {fresh > 0 && <Button onClick={showNew}>{words.fresh(fresh)}</Button>}
              </div>
              <Selection rows={rows} selected={selected} onSelect={setSelected} onRemove={setRemoving} />
              {rows.length > 0 && (
                <Table unfolds label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
              )}
              <Pager
                onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
                busy={list.isFetchingNextPage}
              >
                {!list.hasNextPage && words.all}
              </Pager>
            </>
          );
        }}
      </Loaded>
      <Suspense>
        {removing !== null && (
          <RemoveDialog
            entries={removing}
            onRemoved={(ids) =>
              setSelected((before) => new Set([...before].filter((id) => !ids.includes(id))))
            }
            onClose={() => setRemoving(null)}
          />
        )}
      </Suspense>
    </>
  );
}

interface SelectionProps {
  readonly rows: readonly Suppression[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onRemove: (entries: readonly Suppression[]) => void;
}

function Selection({ rows, selected, onSelect, onRemove }: SelectionProps) {
  const words = useWords(suppressionsWords);
  const format = useFormat();
  const can = useCan();
  const chosen = rows.filter(({ id }) => selected.has(id));
  if (chosen.length === 0)
    return (
      <div className={classes['chosen']}>
        <Button
          kind="quiet"
          unavailable={can.suppress}
          onClick={() => onSelect(new Set(rows.map(({ id }) => id)))}
        >
          {words.selectAll}
        </Button>
      </div>
    );
  return (
    <div className={classes['chosen']}>
      <Button icon={Trash2} kind="danger" unavailable={can.suppress} onClick={() => onRemove(chosen)}>
        {words.removeCount(format.number(chosen.length))}
      </Button>
      <Button onClick={() => onSelect(new Set())}>{words.selectNone}</Button>
      <span className={classes['quiet']} role="status">
        {words.selected(format.number(chosen.length))}
      </span>
    </div>
  );
}

/** The server's, where nobody gave one. */
const MANUAL_REASON = 'Added manually.';

function useColumns(
  selected: ReadonlySet<string>,
  onToggle: (id: string) => void,
): readonly Column<Suppression>[] {
  const words = useWords(suppressionsWords);
  const can = useCan();
  return [
    {
      id: 'address',
      phone: 'lead',
      head: words.address,
      cell: ({ address }) => (
        <div className={classes['address']}>
          <Foreign text={address} />
        </div>
      ),
    },
    {
      id: 'source',
      phone: 'below',
      head: words.source,
      main: true,
      cell: ({ source, reason }) => (
        <>
          <div>{words.sources[source]}</div>
          {/* About a complaint, the source and the link to the message say all. */}
          {reason !== MANUAL_REASON && source !== 'complaint' && (
            <div className={classes['reason']} lang={source === 'manual' ? undefined : 'en'} title={reason}>
              <Foreign text={reason} />
            </div>
          )}
        </>
      ),
    },
    {
      id: 'message',
      head: words.message,
      cell: ({ message_id: id }) =>
        id === null ? (
          <span className={classes['quiet']}>{words.noMessage}</span>
        ) : (
          <Link to={`/messages/${id}/timeline`} className={classes['message']}>
            {words.openMessage}
          </Link>
        ),
    },
    {
      id: 'since',
      head: words.since,
      cell: ({ created_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'select',
      phone: 'mark',
      head: words.select,
      end: true,
      cell: ({ id, address }) => (
        <input
          type="checkbox"
          className={classes['check']}
          checked={selected.has(id)}
          aria-disabled={can.suppress !== null || undefined}
          title={can.suppress ?? undefined}
          aria-label={words.selectNamed(address)}
          onClick={(event) => can.suppress !== null && event.preventDefault()}
          onChange={() => can.suppress === null && onToggle(id)}
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
