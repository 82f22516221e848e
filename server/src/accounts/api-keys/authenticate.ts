import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DoorName, Principal, ReadOnlyPart } from '../../platform/http/http.ts';
import { createRateLimit, type RateVerdict } from '../../platform/http/rate-limit.ts';
import { networkOf } from '../../platform/network/network.ts';
import type { KeyCheck } from './key-check.ts';

interface AddressRate {
  perSecond: number;
  burst: number;
}

interface AuthenticateDeps {
  keyCheck: KeyCheck;
  burst: number;
  addresses?: {
    clock: Clock;
    keyed: AddressRate;
    keyless: AddressRate;
  };
  doors?: Readonly<Partial<Record<DoorName, Authenticate>>>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Health checks are counted separately, so that a flood does not look like an outage. */
    probe?: boolean;
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const BEARER = /^Bearer +([!-~]+)$/i;

/**
 * Authenticates by API key: 429 for a flooding address, 401, 403 for the account's state, 403 for the scope,
 * 429 for the key. Sets `request.principal`. Routes behind a door use the door's own authentication.
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
    // First, because it is cheapest.
    if (scopes === undefined) return (probe === true ? probesFrom : keylessFrom)?.(request, reply);
    keyedFrom?.(request, reply);
    const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const holder = await keyCheck.identify(presented, request.ip);
    const principal = keyCheck.admit(holder, scopes);
    refuseReadOnly(request, principal);
    const verdict = keyCheck.spend(holder.apiKeyId);
    if (verdict !== null) tellLimit(reply, burst, verdict);
    request.principal = principal;
  };
}

/** By the tag of the route: what it changes. Senders go with their domains. */
const PART_OF_TAG: Readonly<Record<string, ReadOnlyPart>> = {
  Domains: 'domains',
  Senders: 'domains',
  Webhooks: 'webhooks',
};

function refuseReadOnly({ method, routeOptions }: FastifyRequest, { narrowing }: Principal): void {
  if (method === 'GET' || method === 'HEAD' || narrowing === undefined) return;
  const part = PART_OF_TAG[routeOptions.schema?.tags?.[0] ?? ''];
  if (part !== undefined && narrowing.readOnly.includes(part))
    throw apiError('insufficient_scope', `The API key may read ${part}, but not change them.`);
}

type AddressLimit = (request: FastifyRequest, reply: FastifyReply) => void;

function addressLimit(clock: Clock, rate: AddressRate): AddressLimit | null {
  if (rate.perSecond === 0) return null;
  const requestsFrom = createRateLimit({ clock, ...rate });
  return (request, reply) => {
    const verdict = requestsFrom.take(networkOf(request.ip));
    if (!verdict.ok) tellLimit(reply, rate.burst, verdict);
  };
}

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
