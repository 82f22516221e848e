import { Type } from 'typebox';
import { NAMES_MAX, OUTCOMES_READ_MAX, PERIOD_DAYS_MAX, readOutcomes } from '../../messages/outcomes.ts';
import { TAG_MAX_CHARS } from '../../messages/send-schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { closed, NO_CONTROLS, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { CREATED_QUERY, readCreated } from '../../platform/http/created-query.ts';
import type { Doors } from '../../platform/http/door.ts';

/** RFC 1035 §2.3.4 */
const DOMAIN_MAX_CHARS = 253;
const DEFAULT_PERIOD_MS = 24 * 3_600_000;

const name = (maxLength: number, description: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength, pattern: NO_CONTROLS, description, examples: [example] }),
  );

const PeriodQuery = closed({
  ...CREATED_QUERY,
  destination: name(DOMAIN_MAX_CHARS, 'Messages to this domain.', 'example.net'),
  sending_domain: name(DOMAIN_MAX_CHARS, 'Messages from this domain.', 'example.com'),
  tag: name(TAG_MAX_CHARS, 'Messages that carry this tag.', 'invoice'),
});

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const counts = {
  ingested: count('Accepted.', 200),
  sent: count('Of these, how many the recipient’s server took.', 196),
  deferred: count('Of these, how many were deferred at least once.', 8),
  bounced: count('Of these, how many bounced.', 3),
  complained: count('Of these, how many the recipient called spam.', 0),
};

const NamedOutcomes = named('NamedOutcomes', {
  name: nullable(Type.String({ examples: ['example.net'] }), 'null: erased messages.'),
  ...counts,
});
const NamedOutcomesList = named(
  'NamedOutcomesList',
  {
    data: Type.Array(NamedOutcomes, { description: `Most messages first, at most ${NAMES_MAX}.` }),
    others: count('How many more there are.', 0),
  },
  { description: 'The same outcomes of each domain or tag.' },
);

const PeriodRates = named('PeriodRates', {
  from: Timestamp,
  to: Timestamp,
  step: Type.Enum(['hour', 'day'], {
    description: 'What one entry of the series covers: hours in a period of up to seven days, else days.',
    $id: 'RatesStep',
  }),
  counted_from: nullable(
    Timestamp,
    `There are more than ${OUTCOMES_READ_MAX} messages: those accepted before this moment are not counted. null: all are.`,
  ),
  counters: named('PeriodCounters', counts, { description: 'Of the whole period.' }),
  series: Type.Array(named('PeriodStep', { from: Timestamp, ...counts }), {
    description: 'Every hour or day (UTC) that the period touches.',
  }),
  destinations: NamedOutcomesList,
  sending_domains: NamedOutcomesList,
  tags: NamedOutcomesList,
});

export function outcomesRoutes(
  doors: Doors,
  { db, clock }: { readonly db: Db; readonly clock: Clock },
): void {
  doors.get(
    '/rates/period',
    {
      config: { scopes: ['evidence:read'], costly: true },
      schema: {
        operationId: 'getRatesOfPeriod',
        summary: 'Read rates of a period by hour, destination, sending domain and tag',
        description: `Outcomes so far of the messages that were accepted from created_after to created_before, at most ${PERIOD_DAYS_MAX} days; without them, in the last 24 hours. getRates counts what happened on a day, to messages of any age.`,
        querystring: PeriodQuery,
        response: { 200: PeriodRates },
      },
    },
    async (request) => {
      const { query } = request;
      const { createdAfter, createdBefore } = readCreated(query);
      const to = createdBefore ?? clock.now();
      const from = createdAfter ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
      return readOutcomes(db, request.principal.tenantId, {
        from,
        to,
        destination: query.destination?.toLowerCase() ?? null,
        sendingDomain: query.sending_domain?.toLowerCase() ?? null,
        tag: query.tag ?? null,
      });
    },
  );
}
