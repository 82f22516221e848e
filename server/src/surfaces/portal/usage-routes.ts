import { Type } from 'typebox';
import { readMonthCosts } from '../../accounts/quota/account.ts';
import type { Config } from '../../config/config-type.ts';
import type { Db } from '../../platform/database/db.ts';
import { named, openNamed } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';

/** Two years and the current month. */
const MONTHS_MAX = 25;

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const MonthCostSchema = named('MonthCost', {
  month: Type.String({ description: 'UTC month.', examples: ['2026-11'] }),
  certified: count('Certified messages accepted.', 120),
  certified_cents: count('Certified messages × price.', 24_000),
  plain: count('Plain messages accepted.', 900),
  plain_cents: count('Plain messages × price.', 9_000),
  total_cents: count('Of both.', 33_000),
  on_demand: count('Seals on demand.', 2),
  sealing_cost_cents: Type.Number({
    description: "The account's share of what the authorities charged; not part of the total.",
    examples: [71.5],
  }),
});

export interface UsageDeps {
  readonly db: Db;
  readonly config: Pick<Config, 'currency'>;
}

export function usageRoutes(doors: Doors, { db, config: { currency } }: UsageDeps): void {
  doors.get(
    '/usage/months',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        operationId: 'listMonthCosts',
        summary: 'List what each month cost',
        description: `The newest ${MONTHS_MAX} months in which something was sent, newest first, at the prices of today.`,
        response: {
          200: openNamed('MonthCostList', {
            currency: Type.String({ description: 'ACUSE_CURRENCY.', examples: ['MXN'] }),
            data: Type.Array(MonthCostSchema),
          }),
        },
      },
    },
    async (request) => ({
      currency,
      data: await readMonthCosts(db, request.principal.tenantId, MONTHS_MAX),
    }),
  );
}
