import { lazy, Suspense, useState } from 'react';
import type { Rates, RatesCounters, RatesDay, RatesFractions } from '../api/portal-types.ts';
import { DayBars } from '../chart/day-bars.tsx';
import { useFormat } from '../format/format.ts';
import { Link } from '../routing/link.tsx';
import { SelectField } from '../ui/field.tsx';
import { Panel, Stack } from '../ui/layout.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './rates.module.css';
import { RateTile, share } from './tile.tsx';
import { RATES_WINDOWS, type RatesWindow } from './window.ts';
import { ratesWords } from './words.ts';

const Reasons = lazy(() => import('./reasons.tsx'));

/** An account's rates: the portal's own, and those that an operator looks at. */

/** Chooses the number of days. */
export function RatesWindowField(props: { value: RatesWindow; onChange: (days: RatesWindow) => void }) {
  const words = useWords(ratesWords);
  return (
    <search className={classes['window']} aria-label={words.window}>
      <SelectField
        label={words.window}
        value={props.value}
        choices={RATES_WINDOWS.map((value) => ({ value, label: words.days(value) }))}
        onChange={props.onChange}
      />
    </search>
  );
}

/** Messages of an earlier window may still bounce, complain or be sealed in this one. */
export function isQuiet({ ingested, sent, deferred, bounced, complained, sealed }: RatesCounters): boolean {
  return [ingested, sent, deferred, bounced, complained, sealed].every((count) => count === 0);
}

/** Where the messages of a UTC day are listed, for the few who may list them. */
export type MessagesOf = (date: string, status?: 'bounced') => string;

export function RatesView({ rates, messagesOf }: { rates: Rates; messagesOf?: MessagesOf }) {
  const words = useWords(ratesWords);
  return (
    <Stack>
      <ul className={classes['tiles']}>
        {RATE_NAMES.map((name) => (
          <RateTile key={name} name={name} value={rates.rates[name]} course={rates.daily.map(DAILY[name])} />
        ))}
      </ul>
      <Days days={rates.daily} messagesOf={messagesOf} />
      <Suspense>
        {(rates.bounce_reasons ?? []).length > 0 && <Reasons reasons={rates.bounce_reasons ?? []} />}
        {(rates.deferral_reasons ?? []).length > 0 && (
          <Reasons reasons={rates.deferral_reasons ?? []} waits />
        )}
      </Suspense>
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

function Days({ days, messagesOf }: { days: readonly RatesDay[]; messagesOf: MessagesOf | undefined }) {
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
            {
              tone: 'waiting',
              name: words.deferred,
              values: days.map(({ deferred }) => deferred),
              beside: true,
            },
            { tone: 'failed', name: words.bounced, values: days.map(({ bounced }) => bounced) },
          ]}
          selected={selected}
          onSelect={(at) => setChosen(days[at]?.date ?? null)}
        />
        <p className={classes['hint']}>
          {words.beside} {words.chartHint}
        </p>
        {day !== undefined && <ChosenDay day={day} messagesOf={messagesOf} />}
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

function ChosenDay({ day, messagesOf }: { day: RatesDay; messagesOf: MessagesOf | undefined }) {
  const words = useWords(ratesWords);
  const format = useFormat();
  const { date, ingested, sent, deferred, bounced } = day;
  const bouncedText = words.toBounced(format.number(bounced));
  return (
    <p className={classes['chosen']} aria-live="polite">
      <strong>{format.utcDay(date)}</strong> · {words.ingested} {format.number(ingested)} · {words.sent}{' '}
      {format.number(sent)} · {words.deferred} {format.number(deferred)} ·{' '}
      {bounced === 0 || messagesOf === undefined ? (
        bouncedText
      ) : (
        <Link to={messagesOf(date, 'bounced')}>{bouncedText}</Link>
      )}
      {messagesOf !== undefined && (
        <>
          {' · '}
          <Link to={messagesOf(date)}>{words.toMessages(format.utcDay(date))}</Link>
        </>
      )}
    </p>
  );
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
