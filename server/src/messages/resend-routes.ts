import { errorAnswers, ID_PARAMS } from '../platform/http/api-schema.ts';
import { type Doors, locationOf } from '../platform/http/door.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { sendingKey } from './prepare.ts';
import { MessageRecord } from './present.ts';
import { type ResendDeps, resendMessage } from './resend.ts';
import { IdempotencyKeyHeader, SEND_ANSWERS } from './send-routes.ts';

export function resendRoutes(doors: Doors, deps: ResendDeps): void {
  doors.post(
    '/messages/:id/resend',
    {
      config: { scopes: ['messages:send'], costly: true, sheds: 1 },
      // Parsed like a send's key.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'resendMessage',
        retry: 'keyed',
        summary: 'Send a message again',
        description:
          "Makes a new message with the content, recipient, tags and metadata of one that was sent, bounced or was cancelled; certified if that one was. It has an id, a Message-ID, a Date, evidence and a price of its own, and is refused as any send is: a suppressed recipient by name. Only this message's recipient gets it, also where its request had several. 409 while the message is scheduled, queued or deferred, and once its content has been deleted. The Idempotency-Key works as it does for a send.",
        params: ID_PARAMS,
        headers: IdempotencyKeyHeader,
        answers: SEND_ANSWERS,
        response: {
          200: MessageRecord,
          201: MessageRecord,
          ...errorAnswers(
            'missing_idempotency_key',
            'invalid_idempotency_key',
            'not_found',
            'conflict',
            'idempotency_key_reused',
            'accepted_before',
            'domain_not_verified',
            'from_not_approved',
            'recipient_suppressed',
            'quota_exceeded',
            'approval_required',
          ),
        },
      },
    },
    async (request, reply) => {
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      const { tenantId } = request.principal;
      const { kind, message } = await resendMessage(deps, {
        tenantId,
        messageId: request.params.id,
        idempotencyKey,
        key: sendingKey(request.principal),
        trace: request.trace,
      });
      reply.header('Location', locationOf(request, `/messages/${message.id}`));
      if (kind === 'replayed') reply.header('Idempotent-Replayed', 'true');
      return reply.code(kind === 'created' ? 201 : 200).send(message);
    },
  );
}
