import { type Static, Type } from 'typebox';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import type { App } from '../platform/http.ts';
import { RATES_DAYS_DEFAULT, RATES_DAYS_MAX, toRates, windowOf } from './rates.ts';
import { readCounters } from './store.ts';

const Query = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: RATES_DAYS_MAX,
        default: RATES_DAYS_DEFAULT,
        description: 'UTC days, today included.',
      }),
    ),
  },
  { additionalProperties: false },
);

const counters = {
  ingested: Type.Integer(),
  sent: Type.Integer(),
  deferred: Type.Integer(),
  bounced: Type.Integer(),
  complained: Type.Integer(),
  sealed: Type.Integer(),
};
const rate = (description: string) =>
  Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
    description: `${description}; null where there is nothing to divide by.`,
  });

const RatesRecord = Type.Object(
  {
    days: Type.Integer(),
    from: Type.String({ description: 'First UTC day.' }),
    to: Type.String({ description: 'Last UTC day: today.' }),
    counters: Type.Object(counters, {
      description: 'A message counts once a counter, on the UTC day it first entered that state.',
    }),
    rates: Type.Object({
      delivery: rate('sent / ingested'),
      deferral: rate('deferred / ingested'),
      bounce: rate('bounced / ingested'),
      complaint: rate('complained / sent'),
      seal: rate('sealed / certified ingested'),
    }),
    daily: Type.Array(Type.Object({ date: Type.String(), ...counters }), {
      description: 'Every day of the window, zeros included.',
    }),
  },
  { additionalProperties: false, $id: 'Rates' },
);

export function ratesRoutes(app: App, deps: { db: Db; clock: Clock }): void {
  app.get(
    '/v1/rates',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        operationId: 'getRates',
        tags: ['Account'],
        summary: 'Read rates',
        description:
          'Operational metrics of the account over a window of days; not a claim of public deliverability.',
        querystring: Query,
        response: { 200: RatesRecord },
      },
    },
    async (request) => {
      const { days = RATES_DAYS_DEFAULT } = request.query as Static<typeof Query>;
      const { tenantId } = request.principal;
      const window = windowOf(days, deps.clock.now());
      const counts = await deps.db.asTenant(tenantId, (tx) =>
        readCounters(tx, tenantId, window[0]!, window.at(-1)!),
      );
      return toRates(window, counts);
    },
  );
}
