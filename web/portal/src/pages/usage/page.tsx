import { useQuery } from '@tanstack/react-query';
import type { Account } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Bags, quietText } from '../../../../shared/usage/bags.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { accountQuery } from '../../parts/account-queries.ts';
import { Months } from './months.tsx';
import { monthsQuery } from './queries.ts';
import { usageWords } from './words.ts';

function UsagePage() {
  const words = useWords(usageWords);
  const format = useFormat();
  const api = useApi();
  const account = useQuery(accountQuery(api));
  const usage = account.data?.usage;
  const lead =
    usage === undefined
      ? undefined
      : words.lead(
          format.utcMonth(usage.month),
          format.dateTime(usage.resets_at),
          format.relative(usage.resets_at),
        );
  return (
    <>
      <PageHeading title={words.title} lead={lead} />
      <Loaded query={account} rows={8}>
        {(known) => <Shown account={known} />}
      </Loaded>
    </>
  );
}

function Shown({ account: { settings, usage } }: { account: Account }) {
  const words = useWords(usageWords);
  const format = useFormat();
  const { certified, plain, constancias } = usage;
  // <Months> says when it could not be read; amounts then name no currency.
  const months = useQuery(monthsQuery(useApi()));
  const currency = months.data?.currency;
  return (
    <Stack>
      <Bags usage={usage} settings={settings} currency={currency} />
      <Panel title={words.constancias}>
        <p className={quietText}>{words.constanciasText}</p>
        <Facts
          facts={[
            { name: words.onDemand, value: format.number(constancias.on_demand) },
            { name: words.cost, value: format.money(constancias.cost_cents, currency) },
            { name: words.sum, value: format.money(certified.price_cents + plain.price_cents, currency) },
            {
              name: words.default,
              value: settings.default_certified ? words.certifiedDefault : words.plainDefault,
            },
          ]}
        />
      </Panel>
      <Months />
      <p className={quietText}>{words.settings}</p>
    </Stack>
  );
}

export const page = definePage({
  path: '/usage',
  search: {},
  title: (language) => usageWords[language].title,
  queries: (api) => [accountQuery(api), monthsQuery(api)],
  Page: UsagePage,
});
