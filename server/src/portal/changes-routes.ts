import { PassThrough } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/database/db.ts';
import { errorAnswers, KEYED_ERRORS, otherContent } from '../platform/http/api-schema.ts';
import type { Doors } from '../platform/http/door.ts';
import type { App } from '../platform/http/http.ts';
import { createChangeFeed } from './changes.ts';

export interface ChangesDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Whether the session of an open stream still is, and still is let in. */
  stillOpen(request: FastifyRequest): Promise<boolean>;
}

/** Streams of one account in one process, and of all: each holds a connection. */
export const STREAMS_PER_ACCOUNT_MAX = 50;
export const STREAMS_MAX = 2_000;
/** A stream without a hint says this often that it is there (ms), and is ended once its session is over. */
const BEAT_EVERY_MS = 15_000;
/** A client that does not read loses its stream with so much unread (bytes), and begins again. */
const UNREAD_MAX_BYTES = 64 * 1024;
const RETRY_SECONDS = 30;

/** `GET /v1/portal/changes`: hints of what to read again, as server-sent events. */
export function changesRoutes(app: App, doors: Doors, deps: ChangesDeps): void {
  const feed = createChangeFeed(deps);
  const streams = new Map<PassThrough, string>();
  // A stop waits for no stream: browsers come back by themselves.
  app.addHook('preClose', (done) => {
    for (const stream of streams.keys()) stream.end();
    done();
  });

  function open(request: FastifyRequest): PassThrough {
    const { tenantId } = request.principal;
    const ofAccount = [...streams.values()].filter((each) => each === tenantId).length;
    if (ofAccount >= STREAMS_PER_ACCOUNT_MAX || streams.size >= STREAMS_MAX)
      throw apiError('rate_limited', 'Too many pages follow what changes: close some of them.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    const stream = new PassThrough();
    streams.set(stream, tenantId);
    const write = (text: string) => {
      if (stream.writableLength > UNREAD_MAX_BYTES) stream.destroy();
      else if (!stream.writableEnded) stream.write(text);
    };
    const unfollow = feed.follow(tenantId, (hint) => write(`data: ${JSON.stringify(hint)}\n\n`));
    const beat = setInterval(() => {
      write(': still here\n\n');
      deps.stillOpen(request).then(
        (is) => is || stream.end(),
        () => stream.end(),
      );
    }, BEAT_EVERY_MS).unref();
    stream.once('close', () => {
      streams.delete(stream);
      clearInterval(beat);
      unfollow();
    });
    write('retry: 3000\n\n');
    return stream;
  }

  doors.get(
    '/changes',
    {
      config: { scopes: ['evidence:read'], passive: true },
      schema: {
        operationId: 'followChanges',
        tags: ['Account'],
        summary: 'Follow what changes',
        description:
          'Server-sent events: each `data` is `{kind, id}` and says what to read again. kind is message, or messages with id null: so many that the list is to be read again. A hint comes within some seconds and may be missing, so that a page also reads again from time to time. The stream ends with the session, and following it does not keep the session open.',
        response: {
          200: otherContent('text/event-stream', 'The stream.'),
          ...errorAnswers(...KEYED_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const stream = open(request);
      reply.raw.once('close', () => stream.destroy());
      return reply
        .type('text/event-stream')
        .header('X-Accel-Buffering', 'no')
        .send(stream as never);
    },
  );
}
