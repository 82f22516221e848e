import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { whenGone } from '../../platform/http/connections.ts';
import type { SessionCookie } from './cookie.ts';

export interface Client {
  readonly address: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** The name under which it asks; its Host field. */
  readonly host: string | undefined;
  /** Aborted once it goes away before it has its answer. */
  readonly gone: AbortSignal;
}

const USER_AGENT_MAX_CHARS = 300;

export function clientOf(request: FastifyRequest): Client {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX_CHARS);
  // Headers are latin1; what no column takes is not worth a refusal.
  return {
    address: request.ip,
    userAgent: userAgent.replaceAll('\0', ''),
    requestId: request.id,
    host: request.headers.host,
    gone: whenGone(request),
  };
}

/** A token that a browser is given, and never shown again. */
export interface NewCookie {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Gives the browser its token for as long as the session may last. */
export function giveCookie(
  { cookie, clock }: { readonly cookie: SessionCookie; readonly clock: Clock },
  reply: FastifyReply,
  { token, expiresAt }: NewCookie,
): void {
  const seconds = Math.ceil((expiresAt.getTime() - clock.now().getTime()) / 1000);
  reply.header('set-cookie', cookie.set(token, seconds));
}
