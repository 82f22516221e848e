import { knownSources } from '../../delivery/next-hop/source-pools.ts';
import { capSending, presentCap, showCaps, uncap } from '../../delivery/operate/caps.ts';
import { scopeText } from '../../delivery/operate/why-waiting.ts';
import { apiError } from '../../errors.ts';
import { errorAnswers, ID_PARAMS, NoContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { BY_SUPPORT, CHANGE_ERRORS, nameOf, OPERATOR_ERRORS } from './access.ts';
import { CapRequest, CapSchema, CapsSchema } from './cap-schemas.ts';
import type { AdminDeps } from './deps.ts';

const TAGS = ['Queue'];

/** `acuse queue caps`, `cap`, `warm-up` and `uncap` over HTTP. */
export function capRoutes(doors: Doors, deps: AdminDeps): void {
  doors.get(
    '/queue/caps',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'listCaps',
        tags: TAGS,
        summary: 'List the caps on what goes out',
        description: 'With the warm-ups of addresses, and what of each is used.',
        response: { 200: CapsSchema, ...errorAnswers(...OPERATOR_ERRORS) },
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
        tags: TAGS,
        summary: 'Cap what goes out, or warm an address up',
        description:
          'A limit of messages an hour or a day. Further mail goes by another address of the pool that has room, or waits until the period ends. Replaces a cap of the same scope and period.',
        body: CapRequest,
        response: { 200: CapSchema, ...errorAnswers(...CHANGE_ERRORS, 'invalid_address', 'not_found') },
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
        tags: TAGS,
        summary: 'Take back a cap or a warm-up',
        description: 'Mail that waited for it is due at once. 404 when there is none.',
        params: ID_PARAMS,
        response: { 204: NoContent, ...errorAnswers(...CHANGE_ERRORS, 'not_found') },
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
