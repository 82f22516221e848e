import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { createRateLimit, type RateVerdict } from '../platform/http/rate-limit.ts';
import { networkOf } from '../platform/network/network.ts';
import type { KeyCheck } from './key-check.ts';

export interface AuthenticateDeps {
  keyCheck: KeyCheck;
  /** Requests that a key may make at once, as its callers are told. */
  burst: number;
  /** Requests of one client address, whatever its keys; absent, or 0 a second: no limit. */
  perAddress?: { clock: Clock; perSecond: number; burst: number };
}

/** Runs as onRequest. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^Bearer +([!-~]+)$/i;

/** Makes the hook that knows callers by their API key: 429 for an address that floods, 401, then 403 for the account's state, then 403 for the scope, then 429. Sets `request.principal`. */
export function createAuthenticate({ keyCheck, burst, perAddress }: AuthenticateDeps): Authenticate {
  const requestsFrom =
    perAddress !== undefined && perAddress.perSecond > 0 ? createRateLimit(perAddress) : null;
  return async (request, reply) => {
    const scopes = request.routeOptions.config.scopes;
    if (scopes === undefined) return;
    // First of all, because it costs least: a flood is turned away before a key is looked at.
    const flood = requestsFrom?.take(networkOf(request.ip));
    if (flood?.ok === false) tellLimit(reply, perAddress!.burst, flood);
    const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const holder = await keyCheck.identify(presented, request.ip);
    const principal = keyCheck.admit(holder, scopes);
    const verdict = keyCheck.spend(holder.apiKeyId);
    if (verdict !== null) tellLimit(reply, burst, verdict);
    request.principal = principal;
  };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-07. Throws rate_limited when nothing is left. */
function tellLimit(
  reply: FastifyReply,
  limit: number,
  { ok, remaining, retryAfterSeconds }: RateVerdict,
): void {
  reply
    .header('ratelimit-limit', limit)
    .header('ratelimit-remaining', remaining)
    .header('ratelimit-reset', retryAfterSeconds);
  if (!ok) throw apiError('rate_limited', undefined, { retryAfterSeconds });
}
