import { Type } from 'typebox';
import type { DbAndClock } from '../../platform/database/db.ts';
import { errorAnswers, ID_PARAMS, named, nullable, Timestamp } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { showWaiting } from './queue.ts';
import { WAITING_CODES, type WaitingReason } from './why-waiting.ts';

const Reason = named('WaitingReason', {
  code: Type.Enum([...WAITING_CODES], {
    $id: 'WaitingCode',
    description: 'Reasons that hold the message; new ones may come.',
    examples: ['next_attempt'],
  }),
  until: nullable(Timestamp, 'When it ends by itself; null: that is not known.'),
  text: Type.String({
    description: 'The reason in a sentence.',
    examples: ['It waits for its next attempt at 2026-11-20T09:35:00.000Z, in 4 min 12 s.'],
  }),
});

export function waitingRoutes(doors: Doors, deps: DbAndClock): void {
  doors.get(
    '/messages/:id/waiting',
    {
      config: { scopes: ['evidence:read'] },
      schema: {
        operationId: 'getMessageWaiting',
        summary: 'Say why a message waits',
        description:
          'Reasons why the message waits, the present one first: its schedule, its next attempt, a pause, a busy destination, the messages before it; then its last reply and when it expires. Empty once it is sent, bounced or cancelled.',
        params: ID_PARAMS,
        response: {
          200: named('Waiting', { reasons: Type.Array(Reason) }),
          ...errorAnswers('not_found'),
        },
      },
    },
    async (request) => {
      const reasons = await showWaiting(deps, request.principal.tenantId, request.params.id);
      return { reasons: reasons.map(presentReason) };
    },
  );
}

function presentReason({ code, until, text }: WaitingReason) {
  return { code, until: until?.toISOString() ?? null, text };
}
