import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DoorName } from '../../platform/http/http.ts';
import { createRateLimit, type RateVerdict } from '../../platform/http/rate-limit.ts';
import { networkOf } from '../../platform/network/network.ts';
import type { KeyCheck } from './key-check.ts';

/** Requests per second, and at once after a pause; 0 per second: no limit. */
export interface AddressRate {
  perSecond: number;
  burst: number;
}

export interface AuthenticateDeps {
  keyCheck: KeyCheck;
  /** Requests that a key may make at once, as its callers are informed. */
  burst: number;
  /** Of one client address; absent: no limit. */
  addresses?: {
    clock: Clock;
    /** Whatever its keys. */
    keyed: AddressRate;
    /** To routes that take no key, and to those that do not exist. */
    keyless: AddressRate;
  };
  /** What opens the routes behind each door of this process. */
  doors?: Readonly<Partial<Record<DoorName, Authenticate>>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Asked by machines that watch this one: counted apart, so that nobody's flood makes them think that it
     * is down.
     */
    probe?: boolean;
  }
}

/** Runs as onRequest. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^Bearer +([!-~]+)$/i;

/**
 * Makes the hook that knows callers by their API key: 429 for an address that floods, 401, then 403 for the
 * account's state, then 403 for the scope, then 429. Sets `request.principal`. Without a key there is the
 * address alone to count by. A route behind a door is that door's: no key opens it.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { keyCheck, burst, addresses, doors } = deps;
  const limit = (of: 'keyed' | 'keyless') => addresses && addressLimit(addresses.clock, addresses[of]);
  const keyedFrom = limit('keyed');
  const keylessFrom = limit('keyless');
  const probesFrom = limit('keyless');
  return async (request, reply) => {
    const { scopes, probe, door } = request.routeOptions.config;
    if (door !== undefined) {
      keyedFrom?.(request, reply);
      const open = doors?.[door];
      if (open === undefined) throw apiError('not_found');
      return open(request, reply);
    }
    // First of all, because it costs least: a flood is turned away before a key is looked at.
    if (scopes === undefined) return (probe === true ? probesFrom : keylessFrom)?.(request, reply);
    keyedFrom?.(request, reply);
    const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const holder = await keyCheck.identify(presented, request.ip);
    const principal = keyCheck.admit(holder, scopes);
    const verdict = keyCheck.spend(holder.apiKeyId);
    if (verdict !== null) tellLimit(reply, burst, verdict);
    request.principal = principal;
  };
}

type AddressLimit = (request: FastifyRequest, reply: FastifyReply) => void;

/** Null without a limit. */
function addressLimit(clock: Clock, rate: AddressRate): AddressLimit | null {
  if (rate.perSecond === 0) return null;
  const requestsFrom = createRateLimit({ clock, ...rate });
  return (request, reply) => {
    const verdict = requestsFrom.take(networkOf(request.ip));
    if (!verdict.ok) tellLimit(reply, rate.burst, verdict);
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
