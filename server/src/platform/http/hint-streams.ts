import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { apiError } from '../../errors.ts';
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
  /** Whose it is: an account. */
  readonly owner: string;
  /** `tell` gets each hint from now on, until the returned function is called. */
  follow(tell: (hint: Hint) => void): () => void;
  /** Whether the session of the stream still is, and still is let in. */
  stillOpen(): Promise<boolean>;
}

/** A stream without a hint says this often that it is there (ms), and is ended once its session is over. */
const BEAT_EVERY_MS = 15_000;
/** A client that does not read loses its stream with so much unread (bytes), and begins again. */
const UNREAD_MAX_BYTES = 64 * 1024;
const RETRY_SECONDS = 30;

/** Hints as server-sent events. What is returned answers a request with a stream; throws rate_limited. */
export function createHintStreams(
  app: App,
  limits: HintStreamLimits,
): (reply: FastifyReply, source: HintSource) => FastifyReply {
  const streams = new Map<PassThrough, string>();
  // A stop waits for no stream: browsers come back by themselves.
  app.addHook('preClose', (done) => {
    for (const stream of streams.keys()) stream.end();
    done();
  });

  function open({ owner, follow, stillOpen }: HintSource): PassThrough {
    const ofOwner = [...streams.values()].filter((each) => each === owner).length;
    if (ofOwner >= limits.perOwner || streams.size >= limits.all)
      throw apiError('rate_limited', 'Too many pages follow what changes: close some of them.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    const stream = new PassThrough();
    streams.set(stream, owner);
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
      clearInterval(beat);
      unfollow();
    });
    write('retry: 3000\n\n');
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
