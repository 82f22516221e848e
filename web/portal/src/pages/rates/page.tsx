import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Rates, RatesCounters, RatesDay, RatesFractions } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { DayBars } from '../../../../shared/chart/day-bars.tsx';
import { Spark } from '../../../../shared/chart/spark.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { oneOf } from '../../../../shared/routing/search.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { ratesQuery } from '../../parts/account-queries.ts';
import classes from './page.module.css';

import { ratesWords } from './words.ts';

const WINDOWS = ['7', '14', '30', '90'] as const;
type Window = (typeof WINDOWS)[number];
interface Search {
  readonly days: Window;
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
      <search className={classes['window']} aria-label={words.window}>
        <SelectField
          label={words.window}
          value={search.days}
          choices={WINDOWS.map((value) => ({ value, label: words.days(value) }))}
          onChange={(days) => setSearch({ days })}
        />
      </search>
      <Loaded query={rates} rows={8}>
        {(known) => (isQuiet(known.counters) ? <Nothing /> : <Shown rates={known} />)}
      </Loaded>
    </>
  );
}

/** Messages of an earlier window may still bounce, complain or be sealed in this one. */
function isQuiet({ ingested, sent, deferred, bounced, complained, sealed }: RatesCounters): boolean {
  return [ingested, sent, deferred, bounced, complained, sealed].every((count) => count === 0);
}

function Nothing() {
  const words = useWords(ratesWords);
  return (
    <Empty title={words.emptyTitle} action={<Link to="/messages">{words.toSend}</Link>}>
      {words.empty}
    </Empty>
  );
}

function Shown({ rates }: { rates: Rates }) {
  const words = useWords(ratesWords);
  return (
    <Stack>
      <ul className={classes['tiles']}>
        {RATE_NAMES.map((name) => (
          <RateTile key={name} name={name} rates={rates} />
        ))}
      </ul>
      <Days days={rates.daily} />
      <p className={classes['claim']}>{words.claim}</p>
    </Stack>
  );
}

const RATE_NAMES = [
  'delivery',
  'deferral',
  'bounce',
  'complaint',
  'seal',
] as const satisfies readonly (keyof RatesFractions)[];

/** Each day's own share. Certified messages of a day are not counted apart: its seals are drawn instead. */
const DAILY: Readonly<Record<keyof RatesFractions, (day: RatesDay) => number | null>> = {
  delivery: (day) => share(day.sent, day.ingested),
  deferral: (day) => share(day.deferred, day.ingested),
  bounce: (day) => share(day.bounced, day.ingested),
  complaint: (day) => share(day.complained, day.sent),
  seal: (day) => day.sealed,
};

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function RateTile({ name, rates }: { name: keyof RatesFractions; rates: Rates }) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const value = rates.rates[name];
  const digits = name === 'complaint' ? 2 : 1;
  return (
    <li className={classes['tile']}>
      <span className={classes['name']}>{words.rates[name]}</span>
      <strong className={classes['value']}>{value === null ? '–' : format.percent(value, digits)}</strong>
      <span className={classes['of']}>{value === null ? words.nothing : words.of[name]}</span>
      <Spark values={rates.daily.map(DAILY[name])} />
    </li>
  );
}

function Days({ days }: { days: readonly RatesDay[] }) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const [chosen, setChosen] = useState<string | null>(null);
  const found = days.findIndex(({ date }) => date === chosen);
  const selected = found === -1 ? days.length - 1 : found;
  const day = days[selected];
  const columns = useColumns();
  const busy = days.filter((each) => !isQuiet(each));
  const quiet = days.length - busy.length;
  return (
    <>
      <Panel title={words.chart}>
        <DayBars
          label={words.chart}
          days={days.map(({ date }) => date)}
          series={[
            { tone: 'sent', name: words.sent, values: days.map(({ sent }) => sent) },
            { tone: 'waiting', name: words.deferred, values: days.map(({ deferred }) => deferred) },
            { tone: 'failed', name: words.bounced, values: days.map(({ bounced }) => bounced) },
          ]}
          selected={selected}
          onSelect={(at) => setChosen(days[at]?.date ?? null)}
        />
        <p className={classes['hint']}>{words.chartHint}</p>
        {day !== undefined && (
          <p className={classes['chosen']} aria-live="polite">
            <strong>{format.utcDay(day.date)}</strong> · {words.ingested} {format.number(day.ingested)} ·{' '}
            {words.sent} {format.number(day.sent)} · {words.deferred} {format.number(day.deferred)} ·{' '}
            {day.bounced === 0 ? (
              words.toBounced('0')
            ) : (
              <Link to={messagesOf(day.date, 'bounced')}>{words.toBounced(format.number(day.bounced))}</Link>
            )}
            {' · '}
            <Link to={messagesOf(day.date)}>{words.toMessages(format.utcDay(day.date))}</Link>
          </p>
        )}
      </Panel>
      <Table
        label={words.chart}
        columns={columns}
        rows={busy.toReversed()}
        rowKey={({ date }) => date}
        selected={day?.date ?? null}
      />
      {quiet > 0 && <p className={classes['claim']}>{words.quietDays(quiet, format.number(quiet))}</p>}
    </>
  );
}

/** The list of messages with the filters of a UTC day. */
function messagesOf(date: string, status?: string): string {
  const filters = new URLSearchParams({
    created_after: `${date}T00:00:00Z`,
    created_before: `${date}T23:59:59.999Z`,
    ...(status !== undefined && { status }),
  });
  return `/messages?${filters}`;
}

function useColumns(): readonly Column<RatesDay>[] {
  const words = useWords(ratesWords);
  const format = useFormat();
  const count = (id: Exclude<keyof RatesDay, 'date'>): Column<RatesDay> => ({
    id,
    head: words[id],
    cell: (day) => format.number(day[id]),
    end: true,
  });
  return [
    { id: 'date', head: words.day, cell: ({ date }) => format.utcDay(date), main: true },
    count('ingested'),
    count('sent'),
    count('deferred'),
    count('bounced'),
    count('complained'),
    count('sealed'),
  ];
}

export const page = definePage<Search>({
  path: '/rates',
  search: { days: oneOf(WINDOWS, '14') },
  title: (language) => ratesWords[language].title,
  queries: (api, _params, search) => [ratesQuery(api, Number(search.days))],
  Page: RatesPage,
});
