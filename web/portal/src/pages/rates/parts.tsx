import { useState } from 'react';
import type { NamedOutcomes, NamedOutcomesList, PeriodRates } from '../../../../shared/api/portal-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { ComplaintMark, share } from '../../../../shared/rates/tile.tsx';
import { Link } from '../../../../shared/routing/link.tsx';
import { searchText, writeSearch } from '../../../../shared/routing/search.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Pager, Stack } from '../../../../shared/ui/layout.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { NARROWED, type Narrowed, type Search, searchSchema, toQuery } from './search.ts';
import { periodWords } from './words.ts';

/** Rows of a table before all are asked for. */
const SHOWN_FIRST = 10;

/** Fields of the answer. */
const FIELDS = {
  destination: 'destinations',
  sending_domain: 'sending_domains',
  tag: 'tags',
} as const satisfies Readonly<Record<Narrowed, keyof PeriodRates>>;
const COLUMNS = ['name', 'ingested', 'sent', 'deferred', 'bounced', 'complained'];

/** The same outcomes by where messages went, where they came from and what they are called. */
export function Parts({ rates, search }: { rates: PeriodRates; search: Search }) {
  return (
    <Stack>
      {NARROWED.filter((part) => search[part] === '' && rates[FIELDS[part]].data.length > 0).map((part) => (
        <Part key={part} part={part} list={rates[FIELDS[part]]} search={search} />
      ))}
    </Stack>
  );
}

function Part({ part, list, search }: { part: Narrowed; list: NamedOutcomesList; search: Search }) {
  const words = useWords(periodWords);
  const format = useFormat();
  const [all, setAll] = useState(false);
  const columns = useColumns(part, search);
  const { data, others } = list;
  return (
    <Section
      title={words.parts[part]}
      hint={words.partHints[part]}
      actions={
        <ExportButton
          name={`rates-${FIELDS[part]}`}
          path="/rates/period"
          query={toQuery(search)}
          columns={COLUMNS}
          whole={`${FIELDS[part]}.data`}
        />
      }
    >
      <Table
        label={words.parts[part]}
        columns={columns}
        rows={all ? data : data.slice(0, SHOWN_FIRST)}
        rowKey={({ name }) => name ?? ''}
      />
      {data.length > SHOWN_FIRST && !all && (
        <Pager onMore={null} busy={false}>
          <Button onClick={() => setAll(true)}>{words.showAll(format.number(data.length))}</Button>
        </Pager>
      )}
      {all && others > 0 && (
        <Pager onMore={null} busy={false}>
          {words.others(others, format.number(others))}
        </Pager>
      )}
    </Section>
  );
}

function useColumns(part: Narrowed, search: Search): readonly Column<NamedOutcomes>[] {
  const words = useWords(periodWords);
  const format = useFormat();
  const narrowed = (name: string) =>
    `/rates${searchText(writeSearch(searchSchema, { ...search, [part]: name }))}`;
  const rate = (
    id: 'delivered' | 'deferred' | 'bounced',
    of: (row: NamedOutcomes) => number,
  ): Column<NamedOutcomes> => ({
    id,
    head: words[id],
    cell: (row) => percent(share(of(row), row.ingested), 1),
    end: true,
  });
  const percent = (value: number | null, digits: number) =>
    value === null ? '–' : format.percent(value, digits);
  return [
    {
      id: 'name',
      head: words.names[part],
      main: true,
      cell: ({ name }) =>
        name === null ? (
          words.erased
        ) : (
          <Link to={narrowed(name)}>
            <Foreign text={name} />
          </Link>
        ),
    },
    {
      id: 'accepted',
      head: words.accepteds,
      end: true,
      cell: ({ ingested }) => format.number(ingested),
    },
    rate('delivered', ({ sent }) => sent),
    rate('deferred', ({ deferred }) => deferred),
    rate('bounced', ({ bounced }) => bounced),
    {
      id: 'complained',
      head: words.complained,
      end: true,
      cell: ({ complained, sent }) => (
        <>
          {percent(share(complained, sent), 2)} <ComplaintMark rate={share(complained, sent)} />
        </>
      ),
    },
  ];
}
