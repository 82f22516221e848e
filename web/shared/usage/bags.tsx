import type { AccountUsage, QuotaUsage } from '../api/admin-types.ts';
import { useFormat } from '../format/format.ts';
import { Facts, Panel } from '../ui/layout.tsx';
import { Meter } from '../ui/meter.tsx';
import { Notice } from '../ui/notice.tsx';
import { useWords } from '../words/use-words.ts';
import classes from './bags.module.css';
import { bagWords } from './words.ts';

export const quietText = classes['quiet'];

interface BagsProps {
  readonly usage: Pick<AccountUsage, 'certified' | 'plain'>;
  readonly settings: {
    readonly price_per_message_cents: number;
    readonly price_per_plain_message_cents: number;
  };
  readonly currency: string | undefined;
}

/** Both quotas of an account in this month: what was used, what is left, and what it costs. */
export function Bags({ usage, settings, currency }: BagsProps) {
  return (
    <div className={classes['bags']}>
      <Bag
        name="certified"
        usage={usage.certified}
        cents={settings.price_per_message_cents}
        currency={currency}
      />
      <Bag
        name="plain"
        usage={usage.plain}
        cents={settings.price_per_plain_message_cents}
        currency={currency}
      />
    </div>
  );
}

/** From this share on a quota is said to be nearly used up. */
const NEARLY = 0.9;

interface BagProps {
  readonly name: 'certified' | 'plain';
  readonly usage: QuotaUsage;
  /** Price per message. */
  readonly cents: number;
  readonly currency: string | undefined;
}

function Bag({ name, usage, cents, currency }: BagProps) {
  const { used, quota, remaining, price_cents: price } = usage;
  const words = useWords(bagWords);
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
          { name: words.price, value: format.money(cents, currency) },
          {
            name: words.total,
            value: (
              <>
                <span className={classes['quiet']}>
                  {words.product(format.number(used), format.money(cents, currency))} ={' '}
                </span>
                {format.money(price, currency)}
              </>
            ),
          },
        ]}
      />
    </Panel>
  );
}
