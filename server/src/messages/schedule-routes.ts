import { Type } from 'typebox';
import { apiError } from '../errors.ts';
import { errorAnswers, ID_PARAMS, named } from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import { MessageRecord } from './present.ts';
import { type MoveDeps, moveMessage } from './schedule.ts';
import { readSendAt, SEND_AT_MAX_CHARS } from './send-at.ts';

interface ScheduleRoutesDeps extends MoveDeps {
  wakeDelivery(): void;
  wakeWebhooks(): void;
}

const MoveBody = named(
  'MessageChange',
  {
    send_at: Type.Union([Type.String({ maxLength: SEND_AT_MAX_CHARS }), Type.Null()], {
      description: 'RFC 3339 with an offset from UTC; null: now.',
    }),
  },
  { examples: [{ send_at: '2026-11-20T09:30:00-06:00' }, { send_at: null }] },
);

/** Advice for methods that people try. */
const INSTEAD = {
  DELETE:
    'An accepted message is not deleted: cancel one that has not been sent with POST /v1/messages/{id}/cancel.',
  PUT: 'An accepted message is not replaced: move a scheduled one with PATCH, or cancel it and send another.',
  POST: 'To send a message again, POST /v1/messages/{id}/resend with a new Idempotency-Key.',
};

export function scheduleRoutes(doors: Doors, deps: ScheduleRoutesDeps): void {
  doors.patch(
    '/messages/:id',
    {
      config: { scopes: ['messages:send'], instead: INSTEAD },
      schema: {
        operationId: 'updateMessage',
        summary: 'Move a scheduled message',
        description:
          'Gives a scheduled message another send_at, at most 30 days after it was accepted; null, or a time that has just passed, queues it at once. Nothing else of an accepted message can be changed: cancel it and send another. Answers 409 once it has been queued or cancelled.',
        params: ID_PARAMS,
        body: MoveBody,
        response: { 200: MessageRecord, ...errorAnswers('not_found', 'conflict', 'send_at_out_of_range') },
      },
    },
    async (request) => {
      if (request.principal.narrowing?.needsApproval === true)
        throw apiError(
          'insufficient_scope',
          'A person approved the message with its time: this API key may cancel it, but not move it.',
        );
      const { send_at: given } = request.body;
      const sendAt = given === null ? null : readSendAt(given);
      const message = await moveMessage(deps, request.principal.tenantId, request.params.id, sendAt);
      if (message.status !== 'scheduled') {
        deps.wakeDelivery();
        deps.wakeWebhooks();
      }
      return message;
    },
  );
}
