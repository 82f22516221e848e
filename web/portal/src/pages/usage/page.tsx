import { useQuery } from '@tanstack/react-query';
import type { Account, QuotaUsage } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { definePage } from '../../../../shared/routing/page.ts';
import { PageHeading } from '../../../../shared/ui/heading.tsx';
import { Facts, Panel, Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Meter } from '../../../../shared/ui/meter.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { accountQuery } from '../../parts/account-queries.ts';
import classes from './page.module.css';

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
  return (
    <Stack>
      <div className={classes['bags']}>
        <Bag name="certified" usage={certified} cents={settings.price_per_message_cents} />
        <Bag name="plain" usage={plain} cents={settings.price_per_plain_message_cents} />
      </div>
      <Panel title={words.constancias}>
        <p className={classes['quiet']}>{words.constanciasText}</p>
        <Facts
          facts={[
            { name: words.onDemand, value: format.number(constancias.on_demand) },
            { name: words.cost, value: format.money(constancias.cost_cents) },
            { name: words.sum, value: format.money(certified.price_cents + plain.price_cents) },
            {
              name: words.default,
              value: settings.default_certified ? words.certifiedDefault : words.plainDefault,
            },
          ]}
        />
      </Panel>
      <p className={classes['quiet']}>{words.settings}</p>
    </Stack>
  );
}

/** From this share on a quota is said to be nearly used up. */
const NEARLY = 0.9;

interface BagProps {
  readonly name: 'certified' | 'plain';
  readonly usage: QuotaUsage;
  /** Price per message. */
  readonly cents: number;
}

function Bag({ name, usage: { used, quota, remaining, price_cents: price }, cents }: BagProps) {
  const words = useWords(usageWords);
  const format = useFormat();
  const share = quota === 0 ? 1 : Math.min(1, used / quota);
  const amount = words.of(format.number(used), format.number(quota));
  return (
    <Panel title={words.bags[name]}>
      <p className={classes['amount']}>
        <strong>{format.number(used)}</strong> <span>/ {format.number(quota)}</span>
      </p>
      <Meter label={words.bags[name]} text={amount} share={share} high={NEARLY} />
      <p className={classes['quiet']}>{words.remaining(format.number(remaining))}</p>
      {remaining === 0 && <Notice tone="failed">{words.exhausted}</Notice>}
      {remaining > 0 && share >= NEARLY && <Notice tone="waiting">{words.nearly}</Notice>}
      <Facts
        facts={[
          { name: words.price, value: format.money(cents) },
          {
            name: words.total,
            value: (
              <>
                <span className={classes['quiet']}>
                  {words.product(format.number(used), format.money(cents))} ={' '}
                </span>
                {format.money(price)}
              </>
            ),
          },
        ]}
      />
    </Panel>
  );
}

export const page = definePage({
  path: '/usage',
  search: {},
  title: (language) => usageWords[language].title,
  queries: (api) => [accountQuery(api)],
  Page: UsagePage,
});
