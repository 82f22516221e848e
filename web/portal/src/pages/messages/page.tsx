import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { FolderOpen, Send } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Message, MessagePage } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { mergeNewest } from '../../../../shared/app/newest.ts';
import { shownText } from '../../../../shared/format/foreign-text.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Mailbox } from '../../../../shared/mail/mailbox.tsx';
import { OutcomeLine } from '../../../../shared/mail/outcome-line.tsx';
import { MessageStatusMark, SealMark } from '../../../../shared/mail/status.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Hidden } from '../../../../shared/ui/hidden.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NothingMatches, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { Empty, Skeleton } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { SendTest } from '../../parts/send-test.tsx';
import { type Choice, ChoiceBar, ChooseCell } from './choice.tsx';
import { FilterBar } from './filter-bar.tsx';
import {
  isFiltered,
  isNarrowed,
  NO_FILTERS,
  type Search,
  searchSchema,
  textOf,
  toQuery,
  widened,
} from './filters.ts';
import classes from './page.module.css';
import { messagesQuery, newestQuery } from './queries.ts';
import { messagesWords } from './words.ts';

const COLUMNS = [
  ...[
    'id',
    'created_at',
    'status',
    'from',
    'to',
    'subject',
    'certified',
    'sealed_at',
    'sent_at',
    'bounced_at',
  ],
  ...['attempts', 'last_reply.text'],
];

const NothingFound = lazy(() => import('../../parts/nothing-found.tsx'));

function MessagesPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(messagesWords);
  const can = useCan();
  const [sending, setSending] = useState(false);
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const end = () => setIds(null);
  const actions = (
    <>
      <Button icon={Send} unavailable={can.send} onClick={() => setSending(true)}>
        {words.sendTest}
      </Button>
      <Button
        icon={FolderOpen}
        pressed={ids !== null}
        onClick={() => (ids === null ? setIds(new Set()) : end())}
      >
        {words.caseFile}
      </Button>
      <ExportButton name="messages" path="/messages" query={toQuery(search)} columns={COLUMNS} />
    </>
  );
  return (
    <>
      <PageHeading title={words.title} actions={actions} />
      <FilterBar search={search} setSearch={setSearch} />
      <p className={classes['help']}>{words.searchHelp}</p>
      <MessageList
        search={search}
        onWiden={isNarrowed(search) ? () => setSearch(widened(search)) : null}
        onClear={() => setSearch(NO_FILTERS)}
        onSend={() => setSending(true)}
        choice={ids === null ? null : { ids, set: setIds }}
        onChosen={end}
      />
      {sending && <SendTest onClose={() => setSending(false)} />}
    </>
  );
}

interface ListProps {
  readonly search: Search;
  readonly onWiden: (() => void) | null;
  readonly onClear: () => void;
  readonly onSend: () => void;
  /** Null: nothing is being chosen. */
  readonly choice: Choice | null;
  readonly onChosen: () => void;
}

function MessageList({ search, onWiden, onClear, onSend, choice, onChosen }: ListProps) {
  const words = useWords(messagesWords);
  const api = useApi();
  const can = useCan();
  const format = useFormat();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(messagesQuery(api, search));
  const newest = useQuery(newestQuery(api, search));
  const columns = useColumns(choice);
  useLookBack(list);
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={10} />;
  const shown = list.data.pages.flatMap(({ data }) => data);
  const { rows, newRows } = mergeNewest(shown, newest.data?.data ?? []);
  const last = list.data.pages.at(-1);
  const looksBack =
    rows.length === 0 && Boolean(last?.scanned_to) && list.data.pages.length <= LOOKED_BACK_PAGES;
  const showNew = () => void queryClient.resetQueries({ queryKey: ['messages', 'list', search] });
  return (
    <>
      <Stale queries={[list, newest]} />
      <div className={classes['new']} aria-live="polite">
        {newRows > 0 && <Button onClick={showNew}>{words.newRows(newRows)}</Button>}
      </div>
      {rows.length > 0 && <Table label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />}
      {choice !== null && <ChoiceBar choice={choice} shown={rows} onEnd={onChosen} />}
      {rows.length === 0 && !list.hasNextPage && isFiltered(search) && (
        <Suspense fallback={<Skeleton rows={3} />}>
          {textOf(search) === '' ? (
            <NothingMatches onClear={onClear} />
          ) : (
            <NothingFound q={textOf(search)} onWiden={onWiden} onClear={onClear} />
          )}
        </Suspense>
      )}
      {looksBack && (
        <>
          <p role="status">{words.lookingBack(format.date(last!.scanned_to!))}</p>
          <Skeleton rows={6} />
        </>
      )}
      {rows.length === 0 && !isFiltered(search) && (
        <Empty
          title={words.emptyTitle}
          action={
            <Button kind="primary" icon={Send} unavailable={can.send} onClick={onSend}>
              {words.sendTest}
            </Button>
          }
        >
          {words.empty}
        </Empty>
      )}
      {(rows.length > 0 || list.hasNextPage) && !looksBack && (
        <Pager
          onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
          busy={list.isFetchingNextPage}
        >
          {!list.hasNextPage && words.all}
          {list.hasNextPage && last?.scanned_to && words.searchedBackTo(format.date(last.scanned_to))}
        </Pager>
      )}
    </>
  );
}

/** Empty pages that are followed by the next one without being asked for. */
const LOOKED_BACK_PAGES = 50;

interface List {
  readonly data: InfiniteData<MessagePage> | undefined;
  readonly isFetching: boolean;
  readonly error: Error | null;
  readonly hasNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** A page of a search may be empty before the last one. */
function useLookBack({ data, isFetching, error, hasNextPage, fetchNextPage }: List): void {
  const pages = data?.pages ?? [];
  const isEmpty = pages.length <= LOOKED_BACK_PAGES && pages.every((page) => page.data.length === 0);
  useEffect(() => {
    if (isEmpty && hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [isEmpty, hasNextPage, isFetching, error, fetchNextPage]);
}

function useColumns(choice: Choice | null): readonly Column<Message>[] {
  const words = useWords(messagesWords);
  return [
    {
      id: 'status',
      head: words.status,
      phone: 'mark',
      cell: (message) =>
        choice === null ? (
          <Link to={`/messages/${message.id}/timeline`} className={classes['row']}>
            <MessageStatusMark status={message.status} />
            <Hidden>{words.openMessage(shownText(message.subject, words.noSubject))}</Hidden>
          </Link>
        ) : (
          <ChooseCell message={message} choice={choice}>
            <MessageStatusMark status={message.status} />
          </ChooseCell>
        ),
    },
    {
      id: 'to',
      head: words.to,
      phone: 'lead',
      cell: ({ to }) => (
        <div className={classes['to']}>
          <Mailbox text={to} />
        </div>
      ),
    },
    {
      id: 'subject',
      head: words.subject,
      main: true,
      phone: 'below',
      cell: (message) => (
        <>
          <div className={classes['subject']}>
            <Foreign text={message.subject} none={words.noSubject} />
          </div>
          <OutcomeLine message={message} className={classes['reply']} />
        </>
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
}

export const page = definePage<Search>({
  path: '/messages',
  search: searchSchema,
  title: (language) => messagesWords[language].title,
  queries: (api, _params, search) => [newestQuery(api, search)],
  Page: MessagesPage,
});
