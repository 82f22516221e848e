import type { FastifyRequest } from 'fastify';
import { errorAnswers, otherContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import { createHintStreams } from '../../platform/http/hint-streams.ts';
import type { App } from '../../platform/http/http.ts';
import { BY_SUPPORT, OPERATOR_ERRORS } from './access.ts';
import { createInstallationFeed } from './changes.ts';
import type { AdminDeps } from './deps.ts';

/** Open pages of one operator, and of all, in one process: each holds a connection. */
const STREAMS_PER_OPERATOR_MAX = 20;
const STREAMS_MAX = 500;

/** `GET /v1/admin/changes`: hints of what to read again, as server-sent events. */
export function changesRoutes(
  app: App,
  doors: Doors,
  deps: AdminDeps,
  stillOpen: (request: FastifyRequest) => Promise<boolean>,
): void {
  const feed = createInstallationFeed(deps);
  const stream = createHintStreams(app, { perOwner: STREAMS_PER_OPERATOR_MAX, all: STREAMS_MAX });
  doors.get(
    '/changes',
    {
      config: BY_SUPPORT,
      schema: {
        operationId: 'followInstallation',
        tags: ['Installation'],
        summary: 'Follow what changes',
        description:
          'Server-sent events: each `data` is `{kind, id}` with id null and says which list to read again: tenants, messages, queue, sealing, suppressions, operators, audit, overview. A hint comes within some seconds and may be missing, so that a page also reads again from time to time. The stream ends with the session.',
        response: {
          200: otherContent('text/event-stream', 'The stream.'),
          ...errorAnswers(...OPERATOR_ERRORS),
        },
      },
    },
    async (request, reply) =>
      stream(reply, {
        owner: request.operator.operatorId,
        person: request.operator.operatorId,
        follow: (tell) => feed.follow(tell),
        stillOpen: () => stillOpen(request),
      }),
  );
}
