import { Type } from 'typebox';
import { knownSources } from '../../delivery/next-hop/source-pools.ts';
import {
  CAP_DAYS_MAX,
  CAP_MAX,
  CAP_STATES,
  capSending,
  presentCap,
  STEPS_MAX,
  showCaps,
  uncap,
} from '../../delivery/operate/caps.ts';
import { scopeText } from '../../delivery/operate/why-waiting.ts';
import { apiError } from '../../errors.ts';
import {
  count,
  errorAnswers,
  ID_PARAMS,
  Id,
  NoContent,
  named,
  nullable,
  Timestamp,
} from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT, nameOf } from './access.ts';
import type { AdminDeps } from './deps.ts';
import { REASON } from './tenant-schemas.ts';

/** `acuse queue caps`, `cap`, `warm-up` and `uncap` over HTTP. */
export function capRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/queue/caps',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listCaps',
        summary: 'List the caps on outgoing mail',
        description: 'With the warm-ups of addresses, and what of each is used.',
        response: { 200: CapsSchema },
      },
    },
    async () => {
      const shown = await showCaps(deps);
      const now = deps.clock.now();
      return { data: shown.map((each) => presentCap(each, now)) };
    },
  );
  doors.post(
    '/queue/caps',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'writeCap',
        summary: 'Cap outgoing mail, or warm an address up',
        description:
          'A limit of messages an hour or a day. Further mail goes by another address of the pool that has room, or waits until the period ends. Replaces a cap of the same scope and period.',
        body: CapRequest,
        response: { 200: CapSchema, ...errorAnswers('invalid_address', 'not_found') },
      },
    },
    (request) => {
      const { tenant_id = null, source_pool = null, source = null, receiver = null } = request.body;
      const { period = 'day', steps = null, warms_up: warmsUp = false, days = null } = request.body;
      const reason = request.body.reason.trim();
      const scope = { tenant_id, source_pool, source: source?.toLowerCase() ?? null, receiver };
      return deps.audit.change(
        request,
        { action: 'queue.cap', reason, subject: scopeText(scope) },
        async () => {
          const given = { scope, period, steps, warmsUp, reason, by: nameOf(request), days };
          const cap = await capSending(deps, given, knownSources(deps.config));
          const answer = presentCap({ cap, counts: [] }, deps.clock.now());
          return { answer, after: { ...scope, period, steps: answer.steps, warms_up: warmsUp, days } };
        },
      );
    },
  );
  doors.delete(
    '/queue/caps/:id',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'deleteCap',
        summary: 'Take back a cap or a warm-up',
        description: 'Mail that waited for it is due at once. 404 when there is none.',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers('not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await deps.audit.change(request, { action: 'queue.uncap', subject: id }, async () => {
        const gone = await uncap(deps, id);
        if (gone === null) throw apiError('not_found', `No cap has the id ${id}.`);
        return { answer: null, before: { of: scopeText(gone.cap), period: gone.cap.period } };
      });
      return reply.code(204).send(null);
    },
  );
}

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

const CapCountSchema = named('CapCount', {
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
});

const CapSchema = named('Cap', {
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
});

const CapsSchema = named('Caps', { data: Type.Array(CapSchema, { description: 'Oldest first.' }) });

const CapRequest = named('NewCap', {
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
});
