import { Type } from 'typebox';
import { errorAnswers, Id, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT, OPERATOR_ERRORS } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { ATTENTION_CODES, readOverview } from './overview.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [12] });
const states = ($id: string, what: string) =>
  Type.Object(
    {
      due: count(`${what} that are due.`),
      held: count(`${what} that are being handled.`),
      waiting: count(`${what} that wait for their next attempt, or are paused.`),
    },
    { additionalProperties: false, $id },
  );

const AttentionSchema = Type.Object(
  {
    code: Type.Enum([...ATTENTION_CODES]),
    subject: Type.String({
      description: 'A destination, an authority, a domain, an id.',
      examples: ['example.com'],
    }),
    tenant_id: nullable(Id),
    at: nullable(Timestamp, 'Since when; of what ends, until when.'),
    text: Type.String({ description: 'For people.', examples: ['Paused by Ana: ticket 4711'] }),
  },
  { additionalProperties: false, $id: 'Attention' },
);

const Overview = Type.Object(
  {
    as_of: Timestamp,
    queue: states('QueueCounts', 'Messages'),
    oldest_unsent_seconds: count('Age of the oldest message that waits; 0: none does.'),
    oldest_unsealed_seconds: count('Age of the oldest leaf without a constancia; 0: none.'),
    accepted_last_minute: count('Messages accepted in the last minute.'),
    webhooks: states('WebhookCounts', 'Deliveries'),
    processes: Type.Array(
      Type.Object(
        { id: Id, pid: Type.Integer(), seen_at: Timestamp },
        { additionalProperties: false, $id: 'SeenProcess' },
      ),
      { description: 'Processes that work on this database now.' },
    ),
    attention: Type.Array(AttentionSchema, {
      description: 'Problems that somebody must look at, most urgent first; at most 20 of each kind.',
    }),
  },
  { additionalProperties: false, $id: 'Overview' },
);

export function overviewRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/overview',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'getOverview',
        tags: ['Installation'],
        summary: 'Read the state of the installation',
        description: 'The oldest and the waiting work, the processes, and what needs attention.',
        response: { 200: Overview, ...errorAnswers(...OPERATOR_ERRORS) },
      },
    },
    () => readOverview(deps),
  );
}
