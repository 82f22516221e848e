import { useQuery } from '@tanstack/react-query';
import type { MonthCost } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { ExportButton } from '../../../../shared/ui/export-button.tsx';
import { Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { quietText } from '../../../../shared/usage/bags.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { monthsQuery } from './queries.ts';
import { usageWords } from './words.ts';

const COLUMNS = [
  ...['month', 'certified', 'certified_cents', 'plain', 'plain_cents', 'total_cents', 'on_demand'],
  'sealing_cost_cents',
];

/** The cost of each month, the newest first. */
export function Months() {
  const words = useWords(usageWords);
  const query = useQuery(monthsQuery(useApi()));
  const columns = useColumns(query.data?.currency);
  return (
    <Panel
      title={words.months}
      actions={<ExportButton name="usage" path="/usage/months" query={{}} columns={COLUMNS} whole="data" />}
    >
      <Loaded query={query} rows={3}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={quietText}>{words.noMonth}</p>
          ) : (
            <Stack>
              <Table label={words.months} columns={columns} rows={data} rowKey={({ month }) => month} />
              <p className={quietText}>{words.today}</p>
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

function useColumns(currency: string | undefined): readonly Column<MonthCost>[] {
  const words = useWords(usageWords);
  const format = useFormat();
  return [
    { id: 'month', head: words.month, main: true, cell: ({ month }) => format.utcMonth(month) },
    {
      id: 'certified',
      head: words.certified,
      end: true,
      cell: ({ certified }) => format.number(certified),
    },
    { id: 'plain', head: words.plain, end: true, cell: ({ plain }) => format.number(plain) },
    {
      id: 'messages',
      head: words.total,
      end: true,
      cell: ({ total_cents: cents }) => <strong>{format.money(cents, currency)}</strong>,
    },
    {
      id: 'sealing',
      head: words.sealing,
      end: true,
      cell: ({ sealing_cost_cents: cents }) => format.money(cents, currency),
    },
  ];
}
