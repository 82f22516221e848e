import { Type } from 'typebox';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { closed, named, nullable, openNamed } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { ReasonShare } from '../../platform/smtp/smtp-schema.ts';
import { RATES_DAYS_DEFAULT, RATES_DAYS_MAX, type Rates, toRates, windowOf } from './rates.ts';
import { countBounceReasons, countDeferralReasons, readCounters } from './store.ts';

export const RatesQuery = closed({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: RATES_DAYS_MAX,
      default: RATES_DAYS_DEFAULT,
      description: 'Number of UTC days, including today.',
    }),
  ),
});

const counters = {
  ingested: Type.Integer({ minimum: 0, examples: [200] }),
  sent: Type.Integer({ minimum: 0, examples: [196] }),
  deferred: Type.Integer({ minimum: 0, examples: [8] }),
  bounced: Type.Integer({ minimum: 0, examples: [3] }),
  complained: Type.Integer({ minimum: 0, examples: [0] }),
  sealed: Type.Integer({ minimum: 0, examples: [150] }),
};
const rate = (description: string, example: number) =>
  nullable(
    Type.Number({ minimum: 0, maximum: 1, examples: [example] }),
    `${description}; null if the divisor is 0.`,
  );
const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] });

/** Messages counted for one answer: some 50 ms of reading. */
const REASONS_COUNTED_MAX = 10_000;

export const RatesRecord = named(
  'Rates',
  {
    days: Type.Integer({ examples: [RATES_DAYS_DEFAULT] }),
    from: day('First UTC day of the window.', '2026-11-07'),
    to: day('Last UTC day of the window: today.', '2026-11-20'),
    counters: openNamed('RatesCounters', counters, {
      description: 'A message counts once per counter, on the UTC day when it first entered that state.',
    }),
    rates: openNamed('RatesFractions', {
      delivery: rate('sent / ingested', 0.98),
      deferral: rate('deferred / ingested', 0.04),
      bounce: rate('bounced / ingested', 0.015),
      complaint: rate('complained / sent', 0),
      seal: rate('sealed / certified ingested', 1),
    }),
    daily: Type.Array(openNamed('RatesDay', { date: day('UTC day.', '2026-11-07'), ...counters }), {
      description: 'One entry per day of the window, including days with zeros.',
    }),
    bounce_reasons: Type.Optional(
      Type.Array(ReasonShare, {
        description: `Why messages accepted in the window bounced, most frequent first; of the latest ${REASONS_COUNTED_MAX}.`,
      }),
    ),
    deferral_reasons: Type.Optional(
      Type.Array(ReasonShare, {
        description: `Why messages that are deferred now wait, whenever they were accepted, most frequent first; of ${REASONS_COUNTED_MAX}.`,
      }),
    ),
  },
  { title: 'Rates aggregate' },
);

export function ratesRoutes(doors: Doors, deps: { db: Db; clock: Clock }): void {
  doors.get(
    '/rates',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        operationId: 'getRates',
        summary: 'Read rates',
        description:
          'Operational metrics of the account over a window of days; not a claim of public deliverability.',
        querystring: RatesQuery,
        response: { 200: RatesRecord },
      },
    },
    async (request) => {
      const { days } = request.query;
      return readRates(deps, request.principal.tenantId, days);
    },
  );
}

export async function readRates(
  { db, clock }: { db: Db; clock: Clock },
  tenantId: string,
  days = RATES_DAYS_DEFAULT,
): Promise<Rates> {
  const window = windowOf(days, clock.now());
  const from = firstIdAt(new Date(`${window[0]}T00:00:00Z`));
  return db.asTenant(tenantId, async (tx) => {
    const counts = await readCounters(tx, tenantId, window[0]!, window.at(-1)!);
    const reasons = await countBounceReasons(tx, tenantId, from, REASONS_COUNTED_MAX);
    const deferrals = await countDeferralReasons(tx, tenantId, REASONS_COUNTED_MAX);
    return toRates(window, counts, reasons, deferrals);
  });
}
