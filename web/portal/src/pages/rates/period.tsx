import { useState } from 'react';
import type { PeriodRates, PeriodStep } from '../../../../shared/api/portal-types.ts';
import { DayBars } from '../../../../shared/chart/day-bars.tsx';
import { earlier } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import classes from '../../../../shared/rates/rates.module.css';
import { RateTile, share } from '../../../../shared/rates/tile.tsx';
import { ratesWords } from '../../../../shared/rates/words.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { messagesPath, type Search } from './search.ts';
import { periodWords } from './words.ts';

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

type Counts = Omit<PeriodStep, 'from'>;
const RATES = {
  delivery: ({ sent, ingested }: Counts) => share(sent, ingested),
  deferral: ({ deferred, ingested }: Counts) => share(deferred, ingested),
  bounce: ({ bounced, ingested }: Counts) => share(bounced, ingested),
  complaint: ({ complained, sent }: Counts) => share(complained, sent),
} as const;
const NAMES = Object.keys(RATES) as (keyof typeof RATES)[];

/** Outcomes of the messages of a time, of an account or a part of it. */
export function PeriodView({ rates, search }: { rates: PeriodRates; search: Search }) {
  const words = useWords(periodWords);
  const shared = useWords(ratesWords);
  const format = useFormat();
  return (
    <Stack>
      <p className={classes['claim']}>
        {words.accepted(format.utcShort(rates.from), format.utcShort(rates.to))}
      </p>
      <ul className={classes['tiles']}>
        {NAMES.map((name) => (
          <RateTile
            key={name}
            name={name}
            value={RATES[name](rates.counters)}
            course={rates.series.map(RATES[name])}
          />
        ))}
      </ul>
      <Steps rates={rates} search={search} />
      <p className={classes['claim']}>{shared.claim}</p>
    </Stack>
  );
}

function Steps({ rates: { series, step, from, to }, search }: { rates: PeriodRates; search: Search }) {
  const words = useWords(periodWords);
  const shared = useWords(ratesWords);
  const format = useFormat();
  const [chosen, setChosen] = useState<string | null>(null);
  const columns = useColumns(step);
  const found = series.findIndex((each) => each.from === chosen);
  const selected = found === -1 ? series.length - 1 : found;
  const nameOf = step === 'hour' ? format.utcShort : format.utcDay;
  const one = series[selected];
  const busy = series.filter(({ ingested }) => ingested > 0);
  const quiet = series.length - busy.length;
  return (
    <>
      <Panel title={words.chart[step]}>
        <DayBars
          label={words.chart[step]}
          days={series.map((each) => each.from)}
          series={[
            { tone: 'sent', name: shared.sent, values: series.map(({ sent }) => sent) },
            {
              tone: 'waiting',
              name: shared.deferred,
              values: series.map(({ deferred }) => deferred),
              beside: true,
            },
            { tone: 'failed', name: shared.bounced, values: series.map(({ bounced }) => bounced) },
          ]}
          selected={selected}
          onSelect={(at) => setChosen(series[at]?.from ?? null)}
          nameOf={nameOf}
        />
        <p className={classes['hint']}>
          {shared.beside} {words.chartHint[step]}
        </p>
        {one !== undefined && (
          <Chosen
            step={one}
            name={nameOf(one.from)}
            ends={endOf(one.from, step, to)}
            begins={from}
            search={search}
          />
        )}
      </Panel>
      <Table
        label={words.chart[step]}
        columns={columns}
        rows={busy.toReversed()}
        rowKey={(each) => each.from}
        selected={one?.from ?? null}
      />
      {quiet > 0 && (
        <p className={classes['claim']}>
          {(step === 'hour' ? words.quietHours : shared.quietDays)(quiet, format.number(quiet))}
        </p>
      )}
    </>
  );
}

/** The last step ends with the period. */
function endOf(from: string, step: keyof typeof STEP_MS, to: string): string {
  const end = earlier(from, -STEP_MS[step]);
  return end < to ? end : to;
}

interface ChosenProps {
  readonly step: PeriodStep;
  readonly name: string;
  readonly begins: string;
  readonly ends: string;
  readonly search: Search;
}

function Chosen({ step, name, begins, ends, search }: ChosenProps) {
  const words = useWords(periodWords);
  const shared = useWords(ratesWords);
  const format = useFormat();
  const { ingested, sent, deferred, bounced } = step;
  const from = step.from > begins ? step.from : begins;
  const bouncedText = shared.toBounced(format.number(bounced));
  return (
    <p className={classes['chosen']} aria-live="polite">
      <strong>{name}</strong> · {shared.ingested} {format.number(ingested)} · {shared.sent}{' '}
      {format.number(sent)} · {shared.deferred} {format.number(deferred)} ·{' '}
      {bounced === 0 ? (
        bouncedText
      ) : (
        <Link to={messagesPath(search, from, ends, 'bounced')}>{bouncedText}</Link>
      )}
      {' · '}
      <Link to={messagesPath(search, from, ends)}>{words.toMessages}</Link>
    </p>
  );
}

function useColumns(step: 'hour' | 'day'): readonly Column<PeriodStep>[] {
  const words = useWords(periodWords);
  const shared = useWords(ratesWords);
  const format = useFormat();
  const count = (id: keyof Counts): Column<PeriodStep> => ({
    id,
    head: shared[id],
    cell: (each) => format.number(each[id]),
    end: true,
  });
  return [
    {
      id: 'from',
      head: words.step[step],
      cell: ({ from }) => (step === 'hour' ? format.utcShort(from) : format.utcDay(from)),
      main: true,
    },
    count('ingested'),
    count('sent'),
    count('deferred'),
    count('bounced'),
    count('complained'),
  ];
}
