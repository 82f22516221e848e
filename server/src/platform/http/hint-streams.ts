import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { FairPlaces } from '../fair-places.ts';
import type { App } from './http.ts';

/** Says that something changed and what to read again, never its content. */
export interface Hint {
  readonly kind: string;
  /** Null: the list, or everything of its kind. */
  readonly id: string | null;
}

interface HintStreamLimits {
  readonly perOwner: number;
  readonly all: number;
}

interface HintSource {
  readonly owner: string;
  readonly person: string;
  /** `tell` gets each hint until the returned function is called. */
  follow(tell: (hint: Hint) => void): () => void;
  /** True while a long request's session is valid. */
  stillOpen(): Promise<boolean>;
}

/** Keep-alive interval (ms); also checks the session. */
const BEAT_EVERY_MS = 15_000;
/** A client that does not read loses its stream beyond this (bytes). */
const UNREAD_MAX_BYTES = 64 * 1024;
const RETRY_MS = 3_000;
const RETRY_MADE_ROOM_MS = 30_000;

/**
 * Sends hints as server-sent events. When full, the person with most streams, in the account with most, loses
 * the oldest.
 */
export function createHintStreams(
  app: App,
  limits: HintStreamLimits,
): (reply: FastifyReply, source: HintSource) => FastifyReply {
  /** With the callback that ends each. */
  const streams = new Map<PassThrough, () => void>();
  const places = new FairPlaces<PassThrough>({ max: limits.all, maxOfOne: limits.perOwner });
  // Streams do not delay a stop: browsers reconnect.
  app.addHook('preClose', (done) => {
    for (const stream of streams.keys()) stream.end();
    done();
  });

  function open({ owner, person, follow, stillOpen }: HintSource): PassThrough {
    const stream = new PassThrough();
    const write = (text: string) => {
      if (stream.writableLength > UNREAD_MAX_BYTES) stream.destroy();
      else if (!stream.writableEnded) stream.write(text);
    };
    const unfollow = follow((hint) => write(`data: ${JSON.stringify(hint)}\n\n`));
    const beat = setInterval(() => {
      write(': still here\n\n');
      stillOpen().then(
        (is) => is || stream.end(),
        () => stream.end(),
      );
    }, BEAT_EVERY_MS).unref();
    stream.once('close', () => {
      streams.delete(stream);
      places.leave(stream);
      clearInterval(beat);
      unfollow();
    });
    write(`retry: ${RETRY_MS}\n\n`);
    streams.set(stream, () => {
      write(`retry: ${RETRY_MADE_ROOM_MS}\n\n`);
      stream.end();
    });
    const gone = places.enter(stream, [owner, person]);
    if (gone !== null) streams.get(gone)!();
    return stream;
  }

  return (reply, source) => {
    const stream = open(source);
    reply.raw.once('close', () => stream.destroy());
    return reply
      .type('text/event-stream')
      .header('X-Accel-Buffering', 'no')
      .send(stream as never);
  };
}
