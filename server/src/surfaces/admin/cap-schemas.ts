import { Type } from 'typebox';
import { CAP_DAYS_MAX, CAP_MAX, CAP_STATES, STEPS_MAX } from '../../delivery/operate/caps.ts';
import { Id, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import { REASON } from './tenant-schemas.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [12] });

const scope = {
  tenant_id: nullable(Id, 'null: any account.'),
  source_pool: nullable(Type.String({ examples: ['bulk'] }), 'null: any pool.'),
  source: nullable(Type.String({ examples: ['bulk2.example.com'] }), 'EHLO name of an address; null: any.'),
  receiver: nullable(
    Type.String({ examples: ['gmail.com'] }),
    'A receiver by its first domain; `*`: each by itself, with a count of its own; null: all together.',
  ),
};
const CapPeriod = Type.Enum(['hour', 'day'], { $id: 'CapPeriod', description: 'In UTC.' });
const CapSteps = Type.Array(Type.Integer({ minimum: 1, maximum: CAP_MAX, examples: [5_000] }), {
  minItems: 1,
  maxItems: STEPS_MAX,
  description: 'Messages in a period; of a warm-up, of each day.',
});

const CapCountSchema = Type.Object(
  {
    receiver: nullable(Type.String({ examples: ['gmail.com'] }), 'null: all together.'),
    starts_at: Timestamp,
    step: nullable(Type.Integer({ examples: [3] }), 'Day of a warm-up; null: no warm-up.'),
    limit: nullable(Type.Integer({ examples: [200] }), 'null: none any more.'),
    taken: count('Messages used or reserved.'),
    answered: count('Attempts that a server answered.'),
    turned_away: count('Of these, turned away for their number or for our reputation.'),
    state: Type.Enum([...CAP_STATES], {
      description:
        'stopped: too much was turned away this day; over: the warm-up has ended; past: of an earlier period.',
    }),
  },
  { additionalProperties: false, $id: 'CapCount' },
);

export const CapSchema = Type.Object(
  {
    cap_id: Id,
    ...scope,
    period: CapPeriod,
    steps: CapSteps,
    warms_up: Type.Boolean({ description: 'It goes up a step after each good day.' }),
    reason: Type.String({ examples: ['new address'] }),
    made_by: Type.String({ examples: ['Ana <ana@example.com>'] }),
    made_at: Timestamp,
    ends_at: nullable(Timestamp, 'null: until it is taken back.'),
    counts: Type.Array(CapCountSchema, {
      description:
        'Use in this period, the fullest first. A warm-up shows the last day with mail of each receiver.',
    }),
  },
  { additionalProperties: false, $id: 'Cap' },
);

export const CapsSchema = Type.Object(
  { data: Type.Array(CapSchema, { description: 'Oldest first.' }) },
  { additionalProperties: false, $id: 'Caps' },
);

export const CapRequest = Type.Object(
  {
    tenant_id: Type.Optional(scope.tenant_id),
    source_pool: Type.Optional(scope.source_pool),
    source: Type.Optional(scope.source),
    receiver: Type.Optional(scope.receiver),
    period: Type.Optional(CapPeriod),
    steps: Type.Optional(CapSteps),
    warms_up: Type.Optional(
      Type.Boolean({ description: 'A warm-up: of an address, by day. Without steps, the default plan.' }),
    ),
    reason: REASON,
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CAP_DAYS_MAX,
        description: 'It ends after so many days; without it, when it is taken back.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'NewCap' },
);
