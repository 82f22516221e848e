import { useQuery } from '@tanstack/react-query';
import type { AccountUsage } from '../../../../shared/api/admin-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Time } from '../../../../shared/ui/time.tsx';
import { Bags, quietText } from '../../../../shared/usage/bags.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCurrency, useMoney } from '../../parts/currency.ts';
import { tenantWords } from '../../parts/tenant-words.ts';
import { usageQuery } from './queries.ts';
import type { TabProps } from './tab.ts';
import { accountWords } from './words.ts';

export default function OverviewTab({ tenant }: TabProps) {
  const words = useWords(accountWords);
  const common = useWords(tenantWords);
  const format = useFormat();
  const currency = useCurrency();
  const query = useQuery(usageQuery(useApi(), tenant.id));
  return (
    <Stack>
      <Loaded query={query} rows={6}>
        {(usage) => (
          <Stack>
            <p className={quietText}>
              {words.month(format.utcMonth(usage.month), format.dateTime(usage.resets_at))}
            </p>
            <Bags usage={usage} settings={tenant} currency={currency} />
            <Sealing usage={usage} />
          </Stack>
        )}
      </Loaded>
      <Panel title={words.settings}>
        <Facts
          facts={[
            {
              name: common.fields.default_certified,
              value: tenant.default_certified ? words.defaultCertified : words.defaultPlain,
            },
            {
              name: common.fields.plain_record_days,
              value:
                tenant.plain_record_days == null
                  ? common.asInstallation
                  : format.number(tenant.plain_record_days),
            },
            { name: common.fields.source_pool, value: <code>{tenant.source_pool}</code> },
            { name: words.created, value: <Time iso={tenant.created_at} /> },
          ]}
        />
      </Panel>
    </Stack>
  );
}

function Sealing({ usage: { constancias, certified, plain } }: { usage: AccountUsage }) {
  const words = useWords(accountWords);
  const format = useFormat();
  const money = useMoney();
  return (
    <Panel title={words.sums}>
      <Facts
        facts={[
          { name: words.owed, value: money(certified.price_cents + plain.price_cents) },
          { name: words.sealingCost, value: money(constancias.cost_cents) },
          { name: words.onDemand, value: format.number(constancias.on_demand) },
        ]}
      />
    </Panel>
  );
}
