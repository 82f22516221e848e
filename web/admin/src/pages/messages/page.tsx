import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { FoundMessage, FoundMessagePage } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { shownText } from '../../../../shared/format/foreign-text.ts';
import { Mailbox } from '../../../../shared/mail/mailbox.tsx';
import { MessageStatusMark, SealMark } from '../../../../shared/mail/status.tsx';
import { mailWords } from '../../../../shared/mail/words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { searchText } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SaveButton } from '../../../../shared/ui/save-button.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Empty, Skeleton } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import {
  countFilters,
  exportFound,
  foundQuery,
  isAsked,
  NO_FILTERS,
  type Search,
  STATUSES,
  searchSchema,
} from './queries.ts';
import { foundWords } from './words.ts';

/** One search over the messages of all accounts. */
function MessagesPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(foundWords);
  return (
    <>
      <PageHeading
        title={words.title}
        lead={words.lead}
        actions={isAsked(search) && <ExportFound search={search} />}
      />
      <FilterBar search={search} setSearch={setSearch} />
      <p className={classes['help']}>{words.searchHelp}</p>
      {isAsked(search) ? (
        // A search of its own, so that nothing of the last one is shown for it.
        <Found key={JSON.stringify(search)} search={search} onWiden={() => setSearch(NO_FILTERS)} />
      ) : (
        <Empty title={words.askTitle}>{words.ask}</Empty>
      )}
    </>
  );
}

type BarProps = Pick<PageProps<Search>, 'search' | 'setSearch'>;

function FilterBar({ search, setSearch }: BarProps) {
  const words = useWords(foundWords);
  const names = useWords(mailWords);
  return (
    <Filters label={words.filters} active={countFilters(search)} onClear={() => setSearch(NO_FILTERS)}>
      <SearchField
        label={words.search}
        placeholder={words.searchHint}
        value={search.q}
        onChange={(q) => setSearch({ q }, { replace: true })}
      />
      <SearchField
        label={words.account}
        placeholder={words.accountId}
        value={search.tenant}
        onChange={(tenant) => setSearch({ tenant: tenant.trim() }, { replace: true })}
      />
      <SelectField
        label={words.status}
        value={search.status}
        choices={[
          { value: '', label: words.anyStatus },
          ...STATUSES.map((value) => ({ value, label: names.statuses[value] })),
        ]}
        onChange={(status) => setSearch({ status })}
      />
      <PeriodField value={search} onChange={setSearch} />
    </Filters>
  );
}

interface FoundProps {
  readonly search: Search;
  readonly onWiden: () => void;
}

function Found({ search, onWiden }: FoundProps) {
  const words = useWords(foundWords);
  const list = useInfiniteQuery(foundQuery(useApi(), search));
  const columns = useColumns(search);
  const goesOn = useGoOn(list);
  return (
    <Loaded query={list} rows={6}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        const more = pages.flatMap((page) => page.more);
        if (goesOn)
          return (
            <>
              <p role="status">{words.lookingOn}</p>
              <Skeleton rows={4} />
            </>
          );
        return (
          <>
            {rows.length === 0 && (
              <Empty
                title={search.tenant === '' ? words.nothing : words.nothingHere}
                action={countFilters(search) > 0 && <Button onClick={onWiden}>{words.allAccounts}</Button>}
              >
                {words.nothingText}
              </Empty>
            )}
            {rows.length > 0 && (
              <Table label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
            )}
            {search.tenant === '' && more.length > 0 && <MoreIn search={search} accounts={more} />}
            {(rows.length > 0 || list.hasNextPage) && (
              <Pager
                onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
                busy={list.isFetchingNextPage}
              >
                {!list.hasNextPage && more.length === 0 && words.all}
              </Pager>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** Empty pages that are followed by the next one without being asked for: 1,000 accounts. */
const EMPTY_PAGES = 10;

interface List {
  readonly data: InfiniteData<FoundMessagePage> | undefined;
  readonly isFetching: boolean;
  readonly error: Error | null;
  readonly hasNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

function useGoOn({ data, isFetching, error, hasNextPage, fetchNextPage }: List): boolean {
  const pages = data?.pages ?? [];
  const goesOn =
    hasNextPage &&
    error === null &&
    pages.length <= EMPTY_PAGES &&
    pages.every((page) => page.data.length === 0);
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return goesOn;
}

function MoreIn({ search, accounts }: { search: Search; accounts: FoundMessagePage['more'] }) {
  const words = useWords(foundWords);
  return (
    <div className={classes['more']}>
      {words.moreTitle}
      <ul>
        {accounts.map(({ tenant_id: tenant, tenant_name: name }) => (
          <li key={tenant}>
            <Link to={`/messages${searchText(inAccount(search, tenant))}`}>
              <Foreign text={name} />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** As the address holds it. */
function inAccount({ q, status, days, created_after, created_before }: Search, tenant: string) {
  const given = { q, tenant, status, days, created_after, created_before };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

function useColumns(search: Search): readonly Column<FoundMessage>[] {
  const words = useWords(foundWords);
  const all: readonly Column<FoundMessage>[] = [
    {
      id: 'status',
      head: words.status,
      phone: 'mark',
      cell: ({ id, status, to }) => (
        <Link to={`/messages/${id}`} className={classes['row']}>
          <MessageStatusMark status={status} />
          <Hidden>{words.open(shownText(to, ''))}</Hidden>
        </Link>
      ),
    },
    { id: 'to', head: words.to, main: true, phone: 'lead', cell: ({ to }) => <To text={to} /> },
    {
      id: 'account',
      head: words.account,
      phone: 'below',
      cell: ({ tenant_id: tenant, tenant_name: name }) => (
        <Link to={`/tenants/${tenant}`}>
          <Foreign text={name} />
        </Link>
      ),
    },
    { id: 'seal', head: words.seal, phone: 'side', cell: (message) => <SealMark message={message} /> },
    {
      id: 'time',
      head: words.time,
      end: true,
      phone: 'corner',
      cell: ({ created_at: at }) => <Time iso={at} form="short" />,
    },
  ];
  return search.tenant === '' ? all : all.filter(({ id }) => id !== 'account');
}

/** Of a name and an address, a phone has room for what operators ask for. */
function To({ text }: { text: string }) {
  return (
    <div className={classes['to']}>
      <Mailbox text={text} />
    </div>
  );
}

function ExportFound({ search }: { search: Search }) {
  const words = useWords(foundWords);
  const api = useApi();
  return <SaveButton label={words.export} name="messages.csv" read={() => exportFound(api, search)} />;
}

export const page = definePage<Search>({
  path: '/messages',
  search: searchSchema,
  title: (language) => foundWords[language].title,
  Page: MessagesPage,
});
