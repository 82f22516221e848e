import { MessageRecord } from '../../messages/present.ts';
import { errorAnswers, ID_PARAMS } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { type ByHandDeps, cancelMessage, retryMessage } from './retry-cancel.ts';

interface ByHandRoutesDeps extends ByHandDeps {
  wakeDelivery(): void;
  wakeWebhooks(): void;
}

export function byHandRoutes(doors: Doors, deps: ByHandRoutesDeps): void {
  const config = { scopes: ['messages:send'] as const };
  const response = {
    200: MessageRecord,
    ...errorAnswers('not_found', 'conflict'),
  };

  doors.post(
    '/messages/:id/retry',
    {
      config,
      schema: {
        operationId: 'retryMessage',
        retry: 'once',
        summary: 'Retry a deferred message now',
        description:
          'Makes a deferred message due at once instead of at its next attempt; the schedule continues after it. Answers 409 for a message in any other state, for one that is being handed over at the moment, and while the operator has paused its mail; the error message says which.',
        params: ID_PARAMS,
        response,
      },
    },
    async (request) => {
      const message = await retryMessage(deps, request.principal.tenantId, request.params.id);
      deps.wakeDelivery();
      return message;
    },
  );

  doors.post(
    '/messages/:id/cancel',
    {
      config,
      schema: {
        operationId: 'cancelMessage',
        retry: 'once',
        summary: 'Cancel a message',
        description:
          'Ends a queued or deferred message that is not being handed over at the moment: its status becomes cancelled, and, if it is certified, the log gets an outcome that says so. A cancelled message has not bounced: it counts in no rate, and there is no delivery report about it. Its events list email.cancelled, which webhooks do not carry. Its quota stays used. 409 once a server may have it, and for what has ended already.',
        params: ID_PARAMS,
        response,
      },
    },
    async (request) => {
      const message = await cancelMessage(deps, request.principal.tenantId, request.params.id);
      deps.wakeWebhooks();
      return message;
    },
  );
}
