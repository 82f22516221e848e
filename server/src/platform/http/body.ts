import type { FastifyRequest } from 'fastify';
import { apiError, notAccepted } from '../../errors.ts';
import { inBoth, TERMS } from '../../wording.ts';
import { Gathered } from '../gathered.ts';
import type { Admission } from './admission.ts';
import { ClientGone } from './http-errors.ts';

export interface BodyReader {
  /** The whole body. Throws payload_too_large, request_timeout, unavailable, ClientGone. */
  read(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<Buffer>;
  close(): void;
}

export interface BodyPace {
  /** Time without a minimum speed (ms). */
  graceMs: number;
  /** Then the minimum speed over each `windowMs` (bytes per second). */
  bytesPerSecond: number;
  windowMs: number;
  totalMs: number;
  sweepMs: number;
}

/**
 * A body has 20 s at any speed, and then must keep to 1 kB/s: a slow line does that; a slow attack only holds
 * a socket.
 */
const BODY_GRACE_MS = 20_000;
const BODY_MIN_BYTES_PER_SECOND = 1_000;
const BODY_WINDOW_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 120_000;
const SWEEP_MS = 1_000;
/**
 * Each chunk costs some microseconds whatever its size: a body of one-byte chunks would keep this process
 * busy for seconds.
 */
const CHUNKS_MAX = 1_024;
/** Beyond that a body may have one more for each so many bytes. */
const BYTES_PER_CHUNK = 64;

export const BODY_PACE: BodyPace = {
  graceMs: BODY_GRACE_MS,
  bytesPerSecond: BODY_MIN_BYTES_PER_SECOND,
  windowMs: BODY_WINDOW_MS,
  totalMs: REQUEST_TIMEOUT_MS,
  sweepMs: SWEEP_MS,
};

interface Coming {
  readonly startedMs: number;
  received: number;
  pieces: number;
  /** Bytes at the end of its last window, and when that was. */
  marked: number;
  markedMs: number;
  fail(error: Error): void;
}

export function createBodyReader(admission: Admission, pace: BodyPace = BODY_PACE): BodyReader {
  const coming = new Set<Coming>();
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    if (coming.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    const nowMs = performance.now();
    for (const body of coming) if (tooSlow(body, pace, nowMs)) body.fail(apiError('request_timeout'));
  }

  /** The timer outlives the body by one check: creating one per body would cost more than reading it. */
  function begin(body: Coming): void {
    coming.add(body);
    // Read first what arrived while this process stood still.
    timer ??= setInterval(() => setImmediate(sweep), pace.sweepMs).unref();
  }

  return {
    read(request, payload) {
      const limit = request.routeOptions.bodyLimit ?? 0;
      if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
      return new Promise((resolve, reject) => {
        const gathered = new Gathered();
        const startedMs = performance.now();
        const isChunked = request.headers['transfer-encoding'] !== undefined;
        const body: Coming = { startedMs, received: 0, pieces: 0, marked: 0, markedMs: startedMs, fail };

        // Listeners stay: removing them is expensive, and an error listener is needed anyway.
        function fail(error: Error): void {
          if (!coming.delete(body)) return;
          gathered.clear();
          reject(error);
        }
        function onData(chunk: Buffer): void {
          if (!coming.has(body)) return;
          body.received += chunk.length;
          body.pieces++;
          gathered.add(chunk);
          try {
            if (body.received > limit) throw tooLarge(limit);
            if (isChunked && isTooFine(body)) throw apiError('invalid_body', TOO_FINE);
            admission.grow(request.held!, chunk.length);
          } catch (error) {
            fail(error as Error);
          }
        }
        function onEnd(): void {
          if (coming.delete(body)) resolve(gathered.bytes());
        }
        function onGone(): void {
          if (coming.has(body)) fail(new ClientGone());
        }
        begin(body);
        admission.comes(request.held!, () => fail(notAccepted()));
        payload.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
        payload.resume();
      });
    },
    close() {
      clearInterval(timer);
    },
  };
}

function tooSlow(body: Coming, pace: BodyPace, nowMs: number): boolean {
  const { startedMs, received, marked, markedMs } = body;
  if (nowMs - startedMs > pace.totalMs) return true;
  const inGrace = nowMs - startedMs < pace.graceMs;
  if (!inGrace && nowMs - markedMs < pace.windowMs) return false;
  body.marked = received;
  body.markedMs = nowMs;
  return !inGrace && (received - marked) * 1_000 < pace.bytesPerSecond * (nowMs - markedMs);
}

function isTooFine({ pieces, received }: Coming): boolean {
  return pieces > CHUNKS_MAX + received / BYTES_PER_CHUNK;
}

const TOO_FINE = `The body comes in too many small chunks: beyond ${CHUNKS_MAX}, they must have ${BYTES_PER_CHUNK} bytes on average.`;

function tooLarge(limit: number) {
  return apiError('payload_too_large', inBoth`The body exceeds ${TERMS.limit} of ${limit} bytes.`);
}
