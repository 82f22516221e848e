import { useInfiniteQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { LoadedPages, NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { SaveButton } from '../../../../shared/ui/save-button.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { EntryTable } from './entry-table.tsx';
import { FilterBar } from './filter-bar.tsx';
import { isFiltered, NO_FILTERS, SEARCH, type Search, toQuery } from './filters.ts';
import { auditQuery } from './queries.ts';
import { auditWords } from './words.ts';

function AuditPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(auditWords);
  const can = useCan();
  const api = useApi();
  const exporting = (
    <SaveButton
      label={words.export}
      name="audit-log.csv"
      unavailable={can.manageAccount}
      read={() => api.bytes('/audit/export', { query: toQuery(search) })}
      saved={words.exported}
    />
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={exporting} />
      {can.manageAccount === null ? (
        <Log search={search} setSearch={setSearch} />
      ) : (
        <Empty title={words.ownersTitle}>{words.owners}</Empty>
      )}
    </>
  );
}

function Log({ search, setSearch }: Pick<PageProps<Search>, 'search' | 'setSearch'>) {
  const words = useWords(auditWords);
  const list = useInfiniteQuery(auditQuery(useApi(), search));
  return (
    <>
      <FilterBar search={search} setSearch={setSearch} />
      <LoadedPages query={list} rows={8}>
        {(entries) =>
          entries.length === 0 ? (
            <Nothing search={search} onClear={() => setSearch(NO_FILTERS)} />
          ) : (
            <>
              <EntryTable entries={entries} />
              <Pager
                onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
                busy={list.isFetchingNextPage}
              >
                {!list.hasNextPage && words.all}
              </Pager>
            </>
          )
        }
      </LoadedPages>
    </>
  );
}

function Nothing({ search, onClear }: { search: Search; onClear: () => void }) {
  const words = useWords(auditWords);
  if (isFiltered(search)) return <NothingMatches onClear={onClear} />;
  return <Empty title={words.emptyTitle}>{words.empty}</Empty>;
}

export const page = definePage<Search>({
  path: '/audit',
  search: SEARCH,
  title: (language) => auditWords[language].title,
  Page: AuditPage,
});
