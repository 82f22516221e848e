import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { isQuiet, RatesView, RatesWindowField } from '../../../../shared/rates/rates.tsx';
import { type RatesWindow, ratesWindow } from '../../../../shared/rates/window.ts';
import { ratesWords } from '../../../../shared/rates/words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { ratesQuery } from '../../parts/account-queries.ts';

interface Search {
  readonly days: RatesWindow;
}

function RatesPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const api = useApi();
  const rates = useQuery(ratesQuery(api, Number(search.days)));
  const startsAt = format.startOfUtcDay();
  return (
    <>
      <PageHeading
        title={words.title}
        lead={startsAt === format.midnight ? words.leadUtc : words.lead(startsAt)}
      />
      <RatesWindowField value={search.days} onChange={(days) => setSearch({ days })} />
      <Loaded query={rates} rows={8}>
        {(known) =>
          isQuiet(known.counters) ? <Nothing /> : <RatesView rates={known} messagesOf={messagesOf} />
        }
      </Loaded>
    </>
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
  search: { days: ratesWindow },
  title: (language) => ratesWords[language].title,
  queries: (api, _params, search) => [ratesQuery(api, Number(search.days))],
  Page: RatesPage,
});
