import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { Bill, BillLine } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { download } from '../../../../shared/format/download.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Link } from '../../../../shared/routing/link.tsx';
import { definePage, type PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Figure, Figures } from '../../../../shared/ui/figures.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Refusal, useSubmission } from '../../../../shared/ui/refusal.tsx';
import { Empty } from '../../../../shared/ui/states.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { MonthField, monthOf } from '../../parts/month-field.tsx';
import classes from './page.module.css';
import { billFile, billQuery, type Search, searchSchema } from './queries.ts';
import { billingWords } from './words.ts';

function BillingPage({ search, setSearch }: PageProps<Search>) {
  const words = useWords(billingWords);
  const month = monthOf(search.month);
  const query = useQuery(billQuery(useApi(), month));
  return (
    <>
      <PageHeading title={words.title} lead={words.lead} actions={<Files month={month} />} />
      <Stack>
        <div className={classes['month']}>
          <MonthField
            label={words.month}
            hint={words.utc}
            value={search.month}
            onChange={(chosen) => setSearch({ month: chosen })}
          />
        </div>
        <Loaded query={query} rows={6}>
          {(bill) => <Lines bill={bill} />}
        </Loaded>
      </Stack>
    </>
  );
}

function Files({ month }: { month: string }) {
  const words = useWords(billingWords);
  const api = useApi();
  const { busy, error, run } = useSubmission();
  const get = (form: 'csv' | 'json') => () =>
    run(async () => download(`acuse-billing-${month}.${form}`, await billFile(api, month, form)));
  return (
    <>
      <Button icon={Download} busy={busy} onClick={get('csv')}>
        {words.csv}
      </Button>
      <Button icon={Download} busy={busy} onClick={get('json')}>
        {words.json}
      </Button>
      {error !== null && <Refusal error={error} />}
    </>
  );
}

function Lines({ bill }: { bill: Bill }) {
  const words = useWords(billingWords);
  const format = useFormat();
  const columns = useColumns(bill.currency);
  const money = (cents: number) => format.money(cents, bill.currency);
  const { data: lines, total_cents: total } = bill;
  if (lines.length === 0)
    return (
      <Empty title={words.emptyTitle} action={<Link to="/tenants">{words.toAccounts}</Link>}>
        {words.empty}
      </Empty>
    );
  const cost = lines.reduce((sum, { sealing_cost_cents: cents }) => sum + cents, 0);
  return (
    <>
      <Figures label={words.total}>
        <Figure name={words.total} value={money(total)}>
          {words.accounts(lines.length, format.number(lines.length))}
        </Figure>
        <Figure name={words.cost} value={money(cost)}>
          {words.costHint}
        </Figure>
        <Figure name={words.margin} value={money(total - cost)} />
      </Figures>
      <Table label={words.title} columns={columns} rows={lines} rowKey={({ tenant_id: id }) => id} />
      <p className={classes['note']}>{words.prices}</p>
    </>
  );
}

function useColumns(currency: string): readonly Column<BillLine>[] {
  const words = useWords(billingWords);
  const format = useFormat();
  const money = (cents: number) => format.money(cents, currency);
  const quantity = (
    id: 'certified' | 'plain',
    price: 'price_per_message_cents' | 'price_per_plain_message_cents',
  ): Column<BillLine> => ({
    id,
    head: words[id],
    end: true,
    cell: (line) => (
      <div className={classes['quantity']}>
        <span>{format.number(line[id])}</span>
        <span className={classes['quiet']}>{words.each(money(line[price]))}</span>
      </div>
    ),
  });
  return [
    {
      id: 'account',
      head: words.account,
      main: true,
      cell: ({ tenant_id: id, name }) => (
        <div className={classes['name']}>
          <Link to={`/tenants/${id}`}>
            <Foreign text={name} />
          </Link>
        </div>
      ),
    },
    quantity('certified', 'price_per_message_cents'),
    quantity('plain', 'price_per_plain_message_cents'),
    {
      id: 'amount',
      head: words.amount,
      end: true,
      cell: ({ total_cents: cents }) => <span className={classes['amount']}>{money(cents)}</span>,
    },
    { id: 'cost', head: words.cost, end: true, cell: ({ sealing_cost_cents: cents }) => money(cents) },
  ];
}

export const page = definePage<Search>({
  path: '/billing',
  search: searchSchema,
  title: (language) => billingWords[language].title,
  queries: (api, _params, search) => [billQuery(api, monthOf(search.month))],
  Page: BillingPage,
});
