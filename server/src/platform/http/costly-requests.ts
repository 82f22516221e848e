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

interface Line {
  active: number;
  readonly waiting: FairPlaces<Waiting>;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/** Lasts until the work is done and the answer is out, or its client is gone. */
interface Turn {
  worked: boolean;
  closed: boolean;
  end(): void;
}

/** An onRoute hook for routes with `costly`; others cost nothing. */
export function limitCostlyRequests(): (route: RouteOptions) => void {
  const lines = new Map<string, Line>();
  const turns = new WeakMap<FastifyRequest, Turn>();

  function leave(tenantId: string, line: Line): void {
    line.active--;
    line.waiting.next()?.start();
    if (line.active === 0) lines.delete(tenantId);
  }

  function begin(request: FastifyRequest, reply: FastifyReply, line: Line): void {
    line.active++;
    const turn: Turn = { worked: false, closed: reply.raw.destroyed, end };
    turns.set(request, turn);
    reply.raw.once('close', () => {
      turn.closed = true;
      end();
    });
    function end(): void {
      if (!turn.worked || !turn.closed || !turns.delete(request)) return;
      leave(request.principal.tenantId, line);
    }
  }

  function enter(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const { tenantId, actor } = request.principal;
    const line = lines.get(tenantId) ?? { active: 0, waiting: new FairPlaces({ max: COSTLY_WAITING_MAX }) };
    if (line.active < COSTLY_AT_ONCE) {
      lines.set(tenantId, line);
      begin(request, reply, line);
      done();
      return;
    }
    const waiting = {
      start() {
        begin(request, reply, line);
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

  function worked(request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: Done): void {
    const turn = turns.get(request);
    if (turn !== undefined) {
      turn.worked = true;
      turn.end();
    }
    done(null, payload);
  }

  return (route) => {
    if (route.config?.costly !== true) return;
    route.preHandler = [route.preHandler ?? [], enter].flat();
    route.onSend = [route.onSend ?? [], worked].flat();
  };
}

type Done = (error: Error | null, payload: unknown) => void;
