import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { download } from '../../../../shared/format/download.ts';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { LoadedPages, NothingMatches } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useToast } from '../../../../shared/ui/toast.tsx';
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
  const toast = useToast();
  const { busy, error, run } = useSubmission();
  const save = () =>
    run(async () => {
      download('audit-log.csv', await api.bytes('/audit/export', { query: toQuery(search) }));
      toast(words.exported);
    });
  const exporting = (
    <Button icon={Download} busy={busy} unavailable={can.manageAccount} onClick={save}>
      {words.export}
    </Button>
  );
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={exporting} />
      {error !== null && <Refusal error={error} />}
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
