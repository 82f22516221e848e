import { useQuery } from '@tanstack/react-query';
import type { SealingCost, SealingCosts } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { lastMonths } from '../../../../shared/format/clock.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { SelectField } from '../../../../shared/ui/field.tsx';
import { Pager } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { costsQuery, type Search } from './queries.ts';
import { sealingWords } from './words.ts';

/** As many months can be chosen; any other by the address. */
const MONTHS = 24;

/** By month; what accounts owe is under billing. */
export default function CostsTab({ search, setSearch }: PageProps<Search>) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const months = lastMonths(MONTHS);
  const month = search.month === '' ? months[0]! : search.month;
  const listed = months.includes(month) ? months : [month, ...months];
  const query = useQuery(costsQuery(useApi(), month));
  return (
    <>
      <div className={classes['month']}>
        <SelectField
          label={words.month}
          hint={words.utcMonth}
          value={month}
          choices={listed.map((value) => ({ value, label: format.utcMonth(value) }))}
          onChange={(chosen) => setSearch({ month: chosen === months[0] ? '' : chosen })}
        />
      </div>
      <Loaded query={query} rows={4}>
        {(costs) => <Sums costs={costs} />}
      </Loaded>
    </>
  );
}

interface Sum extends Pick<SealingCost, 'authority' | 'kind' | 'items' | 'cost_cents'> {
  readonly accounts: number;
}

/** One line an authority and kind: accounts share batches. */
function sumsOf({ items }: SealingCosts): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const { authority, kind, items: count, cost_cents: cents } of items) {
    const key = `${authority} ${kind}`;
    const known = sums.get(key) ?? { authority, kind, items: 0, cost_cents: 0, accounts: 0 };
    sums.set(key, {
      ...known,
      items: known.items + count,
      cost_cents: known.cost_cents + cents,
      accounts: known.accounts + 1,
    });
  }
  return [...sums.values()].sort((a, b) => b.cost_cents - a.cost_cents);
}

function Sums({ costs }: { costs: SealingCosts }) {
  const words = useWords(sealingWords);
  const format = useFormat();
  const rows = sumsOf(costs);
  if (rows.length === 0) return <Empty title={words.noCostTitle}>{words.noCost}</Empty>;
  const total = rows.reduce((sum, { cost_cents: cents }) => sum + cents, 0);
  const columns: readonly Column<Sum>[] = [
    {
      id: 'authority',
      head: words.authority,
      main: true,
      cell: ({ authority }) => (
        <div className={classes['name']} translate="no">
          {authority}
        </div>
      ),
    },
    { id: 'kind', head: words.kind, cell: ({ kind }) => words.kinds[kind] },
    { id: 'accounts', head: words.accounts, end: true, cell: ({ accounts }) => format.number(accounts) },
    { id: 'items', head: words.items, end: true, cell: ({ items }) => format.number(items) },
    {
      id: 'cost',
      head: words.cost,
      end: true,
      cell: ({ cost_cents: cents }) => format.money(cents, costs.currency),
    },
  ];
  return (
    <>
      <Table
        label={words.tabs.costs}
        columns={columns}
        rows={rows}
        rowKey={({ authority, kind }) => `${authority} ${kind}`}
      />
      <Pager onMore={null}>
        <span className={classes['total']}>{words.total(format.money(total, costs.currency))}</span>
      </Pager>
    </>
  );
}
