import { Type } from 'typebox';
import { billCsv, readBill } from '../../accounts/quota/billing.ts';
import { closed, Id, named } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { readMonth } from './routes-sealing.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [120] });

const BillLine = named('BillLine', {
  tenant_id: Id,
  name: Type.String({ examples: ['Example S.A.'] }),
  certified: count('Certified messages accepted.'),
  price_per_message_cents: count('As it is now.'),
  certified_cents: count('Certified messages × price.'),
  plain: count('Plain messages accepted.'),
  price_per_plain_message_cents: count('As it is now.'),
  plain_cents: count('Plain messages × price.'),
  total_cents: count('Of both.'),
  sealing_cost_cents: Type.Number({
    description: "The authorities' charge to the operator for it; not part of the total.",
    examples: [71.5],
  }),
});

const BillSchema = named('Bill', {
  month: Type.String({ description: 'UTC month.', examples: ['2026-11'] }),
  currency: Type.String({ description: 'ACUSE_CURRENCY.', examples: ['MXN'] }),
  data: Type.Array(BillLine, { description: 'Every account that is not of the sandbox, oldest first.' }),
  total_cents: count('Of all accounts.'),
});

/** JSON, or the same as CSV. */
const answer = {
  description: 'Amounts that every account owes.',
  content: {
    'application/json': { schema: BillSchema },
    'text/csv': {
      schema: Type.Unsafe<never>({ type: 'string', description: 'With a header (RFC 4180).' }),
    },
  },
};

export function billingRoutes(doors: Doors, { db, clock, config }: AdminDeps): void {
  doors.get(
    '/billing',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getBilling',
        summary: 'Read what accounts owe for a month',
        description:
          'Messages accepted × prices. Prices are those of now, also for past months: bill a month before you change them. In the CSV no name can act as a formula.',
        querystring: closed({
          month: Type.Optional(
            Type.String({
              maxLength: 7,
              description: 'UTC month; this month unless given.',
              examples: ['2026-11'],
            }),
          ),
          format: Type.Optional(Type.Enum(['json', 'csv'], { default: 'json' })),
        }),
        response: { 200: answer },
      },
    },
    async (request, reply) => {
      const month = readMonth(request.query.month, clock.now());
      const bill = await readBill(db, month, config.currency);
      if (request.query.format !== 'csv') return reply.send(bill as never);
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="acuse-billing-${month}.csv"`)
        .send(billCsv(bill) as never);
    },
  );
}
