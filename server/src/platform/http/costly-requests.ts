import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';
import { FairPlaces } from '../fair-places.ts';

/** Limits expensive requests: a few of each account run at once, some wait, and more are refused. */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Expensive: few of one account at once. */
    costly?: boolean;
  }
}

export const COSTLY_AT_ONCE = 4;
export const COSTLY_WAITING_MAX = 60;
const RETRY_SECONDS = 1;
/** A streamed answer keeps its turn so long (ms): then it mostly waits for its client. */
const STREAM_TURN_MS = 10_000;
/** What such an answer holds at most: a page of rows, as read and as written. */
export const STREAM_HELD_BYTES = 1024 * 1024;

interface Line {
  active: number;
  readonly waiting: FairPlaces<Waiting>;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/** An onRoute hook for routes with `costly`; others cost nothing. */
export function limitCostlyRequests(streamTurnMs = STREAM_TURN_MS): (route: RouteOptions) => void {
  const lines = new Map<string, Line>();
  /** What ends the turn of a request, once. */
  const turns = new WeakMap<FastifyRequest, () => void>();

  function leave(tenantId: string, line: Line): void {
    line.active--;
    line.waiting.next()?.start();
    if (line.active === 0) lines.delete(tenantId);
  }

  function begin(request: FastifyRequest, line: Line): void {
    line.active++;
    turns.set(request, () => {
      if (turns.delete(request)) leave(request.principal.tenantId, line);
    });
  }

  function enter(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const { tenantId, actor } = request.principal;
    const line = lines.get(tenantId) ?? { active: 0, waiting: new FairPlaces({ max: COSTLY_WAITING_MAX }) };
    if (line.active < COSTLY_AT_ONCE) {
      lines.set(tenantId, line);
      begin(request, line);
      done();
      return;
    }
    const waiting = {
      start() {
        begin(request, line);
        done();
      },
      refuse() {
        done(
          apiError('rate_limited', 'Too many requests of this kind are in progress: wait for one to end.', {
            retryAfterSeconds: RETRY_SECONDS,
          }),
        );
      },
    };
    line.waiting.enter(waiting, [`${actor.kind} ${actor.id}`])?.refuse();
    reply.raw.once('close', () => line.waiting.leave(waiting));
  }

  /** Whoever reads the answer slowly holds its bytes, and no turn. */
  function worked(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
    const end = turns.get(request);
    if (!isStream(payload) || reply.raw.destroyed) end?.();
    else if (end !== undefined) {
      reply.raw.once('close', end);
      setTimeout(end, streamTurnMs).unref();
    }
    done(null, payload);
  }

  return (route) => {
    if (route.config?.costly !== true) return;
    route.preHandler = [route.preHandler ?? [], enter].flat();
    route.onSend = [route.onSend ?? [], worked].flat();
  };
}

export function isStream(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload;
}

type Done = (error: Error | null, payload: unknown) => void;
