import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, Link2, UserRound } from 'lucide-react';
import type { VerificationRecord } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { ButtonLink, type Icon } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Filters } from '../../../../shared/ui/filters.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { NothingMatches, NotLoaded, Stale } from '../../../../shared/ui/loaded.tsx';
import { PeriodField } from '../../../../shared/ui/period-field.tsx';
import { SearchField } from '../../../../shared/ui/search-field.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { Status, type Tone } from '../../../../shared/ui/status.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { VerifyTabs } from '../../parts/verify-tabs.tsx';
import classes from './page.module.css';
import {
  countFilters,
  NO_FILTERS,
  RESULTS,
  type Search,
  searchSchema,
  toQuery,
  verificationsQuery,
} from './queries.ts';
import { verifyLogWords } from './words.ts';

const COLUMNS = [
  ...['id', 'created_at', 'message_id', 'result', 'actor.kind', 'actor.id', 'actor.name'],
  'client_address',
];

function VerifyLogPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(verifyLogWords);
  return (
    <>
      <PageHeading
        title={words.title}
        lead={words.lead}
        actions={
          <ExportButton name="access-log" path="/verifications" query={toQuery(search)} columns={COLUMNS} />
        }
      />
      <VerifyTabs current="log" />
      <Filters
        label={words.filters}
        active={countFilters(search)}
        onClear={() => setSearch({ ...NO_FILTERS, message_id: search.message_id })}
      >
        <SearchField
          label={words.messageId}
          value={search.message_id}
          // No id has white space in it; what is pasted often ends with some.
          onChange={(text) => setSearch({ message_id: text.replace(/\s/g, '') }, { replace: true })}
          mono
        />
        <SelectField
          label={words.result}
          value={search.result}
          choices={[
            { value: '', label: words.anyResult },
            ...RESULTS.map((value) => ({ value, label: words.results[value] })),
          ]}
          onChange={(result) => setSearch({ result })}
        />
        <PeriodField value={search} onChange={setSearch} />
      </Filters>
      <LogList search={search} onClear={() => setSearch(NO_FILTERS)} />
    </>
  );
}

function LogList({ search, onClear }: { search: Search; onClear: () => void }) {
  const words = useWords(verifyLogWords);
  const api = useApi();
  const list = useInfiniteQuery(verificationsQuery(api, search));
  const columns = useColumns();
  if (list.data === undefined) return <NotLoaded queries={[list]} rows={8} />;
  const rows = list.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0)
    return (
      <>
        <Stale queries={[list]} />
        {countFilters(search) > 0 || search.message_id !== '' ? (
          <NothingMatches onClear={onClear} />
        ) : (
          <Empty
            title={words.emptyTitle}
            action={
              <ButtonLink to="/verify" kind="primary">
                {words.toVerify}
              </ButtonLink>
            }
          >
            {words.empty}
          </Empty>
        )}
      </>
    );
  return (
    <>
      <Stale queries={[list]} />
      <Table unfolds label={words.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
      <Pager
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : null}
        busy={list.isFetchingNextPage}
      >
        {!list.hasNextPage && words.all}
      </Pager>
    </>
  );
}

const KIND_ICONS: Readonly<Record<VerificationRecord['actor']['kind'], Icon>> = {
  key: KeyRound,
  user: UserRound,
  share: Link2,
};
const ICON_PX = 16;
const TONES: Readonly<Record<string, Tone>> = { valid: 'sent', invalid: 'failed', opened: 'sealed' };
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function useColumns(): readonly Column<VerificationRecord>[] {
  const words = useWords(verifyLogWords);
  const results: Readonly<Record<string, string>> = words.results;
  return [
    {
      id: 'time',
      phone: 'corner',
      head: words.time,
      cell: ({ created_at: at }) => <Time iso={at} form="short" />,
    },
    {
      id: 'result',
      phone: 'mark',
      head: words.result,
      cell: ({ result }) => (
        <Status tone={TONES[result] ?? 'neutral'}>{results[result] ?? words.results.other}</Status>
      ),
    },
    {
      id: 'who',
      phone: 'below',
      head: words.who,
      main: true,
      cell: ({ actor: { kind, name } }) => {
        const KindIcon = KIND_ICONS[kind];
        return (
          <span className={classes['who']}>
            <KindIcon size={ICON_PX} aria-hidden="true" />
            <span>
              {name === '' ? words.kinds[kind] : <Foreign text={name} />}
              {name !== '' && <span className={classes['quiet']}> · {words.kinds[kind]}</span>}
            </span>
          </span>
        );
      },
    },
    {
      id: 'message',
      phone: 'lead',
      head: words.message,
      cell: ({ message_id: id, result }) =>
        UUID.test(id) && result !== 'not_found' ? (
          <Link to={`/messages/${id}/evidence`} className={classes['id']}>
            {shortened(id)}
          </Link>
        ) : (
          <code className={classes['id']} title={id}>
            {shortened(id)}
          </code>
        ),
    },
    {
      id: 'address',
      head: words.address,
      end: true,
      cell: ({ client_address: address }) => (
        <code className={classes['id']}>
          <Foreign text={address} />
        </code>
      ),
    },
  ];
}

/** Enough to tell messages apart: ids begin with their time and end in chance (characters). */
const START_CHARS = 8;
const END_CHARS = 6;

function shortened(id: string): string {
  return id.length <= START_CHARS + END_CHARS + 3
    ? id
    : `${id.slice(0, START_CHARS)}…${id.slice(-END_CHARS)}`;
}

export const page = definePage<Search>({
  path: '/verify/log',
  search: searchSchema,
  title: (language) => verifyLogWords[language].title,
  Page: VerifyLogPage,
});
