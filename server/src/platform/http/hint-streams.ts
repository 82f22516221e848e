import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { FairPlaces } from '../fair-places.ts';
import type { App } from './http.ts';

/** That something changed, and what to read again: never what it became. */
export interface Hint {
  readonly kind: string;
  /** Null: the list, or all of its kind. */
  readonly id: string | null;
}

export interface HintStreamLimits {
  /** Streams of one owner in one process, and of all: each holds a connection. */
  readonly perOwner: number;
  readonly all: number;
}

export interface HintSource {
  /** Whose it is: an account; and who of it has it open. */
  readonly owner: string;
  readonly person: string;
  /** `tell` gets each hint from now on, until the returned function is called. */
  follow(tell: (hint: Hint) => void): () => void;
  /** Whether the session of the stream still is, and still is let in. */
  stillOpen(): Promise<boolean>;
}

/** A stream without a hint says this often that it is there (ms), and is ended once its session is over. */
const BEAT_EVERY_MS = 15_000;
/** A client that does not read loses its stream with so much unread (bytes), and begins again. */
const UNREAD_MAX_BYTES = 64 * 1024;
/** A stream that broke off is opened again after so long (ms), and one that made room for others. */
const RETRY_MS = 3_000;
const RETRY_MADE_ROOM_MS = 30_000;

/**
 * Hints as server-sent events. What is returned answers a request with a stream. Whoever comes gets one: when
 * there are too many, the person with most, of the account with most, gives up the oldest.
 */
export function createHintStreams(
  app: App,
  limits: HintStreamLimits,
): (reply: FastifyReply, source: HintSource) => FastifyReply {
  /** Each with what says that it made room. */
  const streams = new Map<PassThrough, () => void>();
  const places = new FairPlaces<PassThrough>({ max: limits.all, maxOfOne: limits.perOwner });
  // A stop waits for no stream: browsers come back by themselves.
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
