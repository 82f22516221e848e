import type { FastifyRequest } from 'fastify';
import { otherContent } from '../../platform/http/api-schema.ts';
import type { Doors } from '../../platform/http/door.ts';
import type { HintFeed } from '../../platform/http/hint-feed.ts';
import { createHintStreams } from '../../platform/http/hint-streams.ts';
import type { App } from '../../platform/http/http.ts';

export interface ChangesDeps {
  readonly feed: HintFeed;
  /** True while a long request's session is valid and admitted. */
  stillOpen(request: FastifyRequest): Promise<boolean>;
}

/** Each holds a connection. */
export const STREAMS_PER_ACCOUNT_MAX = 50;
export const STREAMS_MAX = 2_000;

export function changesRoutes(app: App, doors: Doors, deps: ChangesDeps): void {
  const stream = createHintStreams(app, { perOwner: STREAMS_PER_ACCOUNT_MAX, all: STREAMS_MAX });

  doors.get(
    '/changes',
    {
      config: { scopes: ['evidence:read'], passive: true },
      schema: {
        operationId: 'followChanges',
        summary: 'Follow what changes',
        description:
          'Server-sent events: each `data` is `{kind, id}` and says what to read again. kind is message; messages with id null: so many that the list is to be read again; or, with id null, what else of the account changed: domains, senders, templates, suppressions, webhooks (and their deliveries), api-keys, members, account, audit. A hint comes within some seconds and may be missing, so that a page also reads again from time to time. The stream ends with the session, and following it does not keep the session open.',
        response: { 200: otherContent('text/event-stream', 'The stream.') },
      },
    },
    async (request, reply) => {
      const { tenantId: owner, actor } = request.principal;
      return stream(reply, {
        owner,
        person: `${actor.kind} ${actor.id}`,
        follow: (tell) => deps.feed.follow(owner, tell),
        stillOpen: () => deps.stillOpen(request),
      });
    },
  );
}
