import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { isQuiet, RatesView } from '../../../../shared/rates/rates.tsx';
import { ratesWords } from '../../../../shared/rates/words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { ratesQuery } from '../../parts/account-queries.ts';
import { Parts } from './parts.tsx';
import { PeriodView } from './period.tsx';
import { periodQuery } from './queries.ts';
import { type Search, searchSchema, timesProblem, wholeDays } from './search.ts';
import { SpanFilters } from './span.tsx';
import { periodWords } from './words.ts';

function RatesPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const days = wholeDays(search);
  const startsAt = format.startOfUtcDay();
  return (
    <>
      <PageHeading
        title={words.title}
        lead={startsAt === format.midnight ? words.leadUtc : words.lead(startsAt)}
      />
      <SpanFilters search={search} setSearch={setSearch} />
      {timesProblem(search) === null && (
        <Stack>
          {days !== null && <WholeDays days={Number(days)} />}
          <PeriodPart search={search} whole={days === null} />
        </Stack>
      )}
    </>
  );
}

function WholeDays({ days }: { days: number }) {
  const rates = useQuery(ratesQuery(useApi(), days));
  return (
    <Loaded query={rates} rows={8}>
      {(known) =>
        isQuiet(known.counters) ? <Nothing /> : <RatesView rates={known} messagesOf={messagesOf} />
      }
    </Loaded>
  );
}

/** `whole`: nothing else on the page says how much there was. */
function PeriodPart({ search, whole }: { search: Search; whole: boolean }) {
  const words = useWords(periodWords);
  const format = useFormat();
  const rates = useQuery(periodQuery(useApi(), search));
  return (
    <Loaded query={rates} rows={whole ? 8 : 4}>
      {(known) => {
        if (known.counters.ingested === 0)
          return whole ? <Empty title={words.emptyTitle}>{words.empty}</Empty> : null;
        return (
          <Stack>
            {known.counted_from !== null && (
              <Notice>{words.countedFrom(format.utcShort(known.counted_from))}</Notice>
            )}
            {whole && <PeriodView rates={known} search={search} />}
            <Parts rates={known} search={search} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Nothing() {
  const words = useWords(ratesWords);
  return (
    <Empty title={words.emptyTitle} action={<Link to="/messages">{words.toSend}</Link>}>
      {words.empty}
    </Empty>
  );
}

/** The list of messages with the filters of a UTC day. */
function messagesOf(date: string, status?: 'bounced'): string {
  const filters = new URLSearchParams({
    created_after: `${date}T00:00:00Z`,
    created_before: `${date}T23:59:59.999Z`,
    ...(status !== undefined && { status }),
  });
  return `/messages?${filters}`;
}

export const page = definePage<Search>({
  path: '/rates',
  search: searchSchema,
  title: (language) => ratesWords[language].title,
  queries: (api, _params, search) => {
    if (timesProblem(search) !== null) return [];
    const days = wholeDays(search);
    return [...(days === null ? [] : [ratesQuery(api, Number(days))]), periodQuery(api, search)];
  },
  Page: RatesPage,
});
