import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { apiError } from '../../errors.ts';

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
  waiting: (() => void)[];
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
    line.waiting.shift()?.();
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
    const { tenantId } = request.principal;
    const line = lines.get(tenantId) ?? { active: 0, waiting: [] };
    if (line.active < COSTLY_AT_ONCE) {
      lines.set(tenantId, line);
      begin(request, reply, line);
      done();
      return;
    }
    if (line.waiting.length >= COSTLY_WAITING_MAX) {
      done(
        apiError('rate_limited', 'Too many requests of this kind are in progress: wait for one to end.', {
          retryAfterSeconds: RETRY_SECONDS,
        }),
      );
      return;
    }
    const start = () => {
      begin(request, reply, line);
      done();
    };
    line.waiting.push(start);
    reply.raw.once('close', () => {
      const at = line.waiting.indexOf(start);
      if (at >= 0) line.waiting.splice(at, 1);
    });
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
