import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';
import { FairPlaces } from '../fair-places.ts';

/**
 * Turns for what costs much more than it takes to ask for: a few requests of one account at once, some more
 * wait, and beyond that the account is told to come back. However many connections it opens, others share the
 * processor with a few of them.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Answering takes much reading, computing or waiting: one account has a few such requests under way at
     * once.
     */
    costly?: boolean;
  }
}

/** Costly requests of one account that are worked on at once, and those that wait. */
export const COSTLY_AT_ONCE = 4;
export const COSTLY_WAITING_MAX = 60;
const RETRY_SECONDS = 1;

interface Line {
  active: number;
  /** Held by who of the account asks. */
  readonly waiting: FairPlaces<Waiting>;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * A turn ends when the work is done and the answer is out, or nobody takes it: a client that goes away stops
 * no work.
 */
interface Turn {
  worked: boolean;
  closed: boolean;
  end(): void;
}

/** As an onRoute hook: routes with `costly` in their config get their turns, the others cost nothing. */
export function createTurns(): (route: RouteOptions) => void {
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
