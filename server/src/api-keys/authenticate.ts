import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import type { KeyCheck } from './key-check.ts';

export interface AuthenticateDeps {
  keyCheck: KeyCheck;
  /** Requests that a key may make at once, as its callers are told. */
  burst: number;
}

/** Runs as onRequest. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^Bearer +([!-~]+)$/i;

/** Makes the hook that knows callers by their API key: 401, then 403 for the account's state, then 403 for the scope, then 429. Sets `request.principal`. */
export function createAuthenticate({ keyCheck, burst }: AuthenticateDeps): Authenticate {
  return async (request, reply) => {
    const scopes = request.routeOptions.config.scopes;
    if (scopes === undefined) return;
    const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const holder = await keyCheck.identify(presented, request.ip);
    const principal = keyCheck.admit(holder, scopes);
    const verdict = keyCheck.spend(holder.apiKeyId);
    if (verdict !== null) {
      const { ok, remaining, retryAfterSeconds } = verdict;
      // The fields of draft-ietf-httpapi-ratelimit-headers-07.
      reply
        .header('ratelimit-limit', burst)
        .header('ratelimit-remaining', remaining)
        .header('ratelimit-reset', retryAfterSeconds);
      if (!ok) throw apiError('rate_limited', undefined, { retryAfterSeconds });
    }
    request.principal = principal;
  };
}
