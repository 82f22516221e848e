import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors.ts';
import { createCachedRead } from '../platform/cache.ts';
import type { Changes } from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import { networkOf } from '../platform/network.ts';
import { createRateLimit, type RateLimit } from '../platform/rate-limit.ts';
import { parseKey, secretHash } from './key.ts';
import { createLastUse } from './last-use.ts';
import { type Credential, findCredential } from './store.ts';

export interface AuthenticateDeps {
  db: Db;
  clock: Clock;
  changes: Changes;
  /** Requests a key may make in a second, and at once after a pause; 0 requests a second: no limit. */
  keyRate?: { perSecond: number; burst: number };
  /** Failed authentications with a key of the right form that one address may make before it is told to wait. */
  failures?: { perMinute: number };
  onError?: (error: unknown) => void;
}

export interface Authenticate {
  /** Runs as onRequest: 401, then 403 for the account's state, then 403 for the scope, then 429. Sets `request.principal`. */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Writes the last uses still held back. */
  close(): Promise<void>;
}

export const KEY_RATE = { perSecond: 500, burst: 1_000 };
/** Enough for a deployment with a mistyped key to be told so by its 401s, far too few to guess 160 bits. */
export const FAILURES_PER_MINUTE = 100;

const BEARER = /^Bearer +([!-~]+)$/i;
/** Compared against when there is no key, so that a miss takes the time of a wrong secret. Matches nothing: no hash is all zero. */
const NO_SECRET = Buffer.alloc(32);

/** Makes the hook that knows callers by their API key. A hit costs a CRC-32, a SHA-256 and two map look-ups. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { db, clock, changes, keyRate = KEY_RATE, failures = { perMinute: FAILURES_PER_MINUTE } } = deps;
  const credentials = createCachedRead<Credential>({
    clock,
    read: (apiKeyId) => findCredential(db, apiKeyId),
  });
  changes.on('api_key', credentials.forget);
  // A change of an account's state is rare: forgetting all keys is simpler than knowing whose they are.
  changes.on('tenant', () => credentials.forgetPrefix(''));

  const lastUse = createLastUse({ db, clock, ...(deps.onError && { onError: deps.onError }) });
  const failedBy = createRateLimit({ clock, perSecond: failures.perMinute / 60, burst: failures.perMinute });
  const requestsOf = keyRate.perSecond > 0 ? createRateLimit({ clock, ...keyRate }) : null;

  /** Finds who holds the key. Throws unauthorized, or rate_limited for an address that failed too often. */
  async function identify(request: FastifyRequest): Promise<{ apiKeyId: string; credential: Credential }> {
    const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const key = presented === undefined ? null : parseKey(presented);
    // Costs no look-up, so it need not count: a caller that forgot its key should keep reading 401.
    if (key === null) throw apiError('unauthorized');

    // Keys that were good here before stay welcome, so that one guesser behind an address does not lock out its neighbours.
    if (!credentials.known(key.apiKeyId)) refuseWhenSpent(failedBy, networkOf(request.ip));
    const found = credentials.get(key.apiKeyId);
    const credential = found instanceof Promise ? await found : found;
    const same = timingSafeEqual(secretHash(key.secret), credential?.secretSha256 ?? NO_SECRET);
    if (credential === null || !same) {
      failedBy.take(networkOf(request.ip));
      throw apiError('unauthorized');
    }
    return { apiKeyId: key.apiKeyId, credential };
  }

  return {
    async authenticate(request, reply) {
      const scopes = request.routeOptions.config.scopes;
      if (scopes === undefined) return;
      const { apiKeyId, credential } = await identify(request);
      if (credential.tenantStatus === 'suspended') throw apiError('tenant_suspended');
      if (credential.tenantStatus === 'deactivated') throw apiError('tenant_deactivated');
      if (!scopes.some((scope) => credential.scopes.includes(scope))) {
        throw apiError(
          'insufficient_scope',
          `This route requires the scope ${scopes.join(' or ')}; the API key has ${credential.scopes.join(', ') || 'none'}.`,
        );
      }
      if (requestsOf !== null) spend(requestsOf, keyRate.burst, apiKeyId, reply);
      lastUse.touch(credential.tenantId, apiKeyId, credential.lastUsedAt?.getTime() ?? 0);
      request.principal = { tenantId: credential.tenantId, apiKeyId, scopes: credential.scopes };
    },
    close: lastUse.close,
  };
}

function refuseWhenSpent(limit: RateLimit, address: string): void {
  const { ok, retryAfterSeconds } = limit.peek(address);
  if (!ok)
    throw apiError(
      'rate_limited',
      'Too many failed authentications from this address: wait for the time in Retry-After.',
      { retryAfterSeconds },
    );
}

/** Takes one request from the key's bucket and tells the caller how it stands (draft-ietf-httpapi-ratelimit-headers-07's fields). */
function spend(limit: RateLimit, burst: number, apiKeyId: string, reply: FastifyReply): void {
  const { ok, remaining, retryAfterSeconds } = limit.take(apiKeyId);
  reply
    .header('ratelimit-limit', burst)
    .header('ratelimit-remaining', remaining)
    .header('ratelimit-reset', retryAfterSeconds);
  if (!ok) throw apiError('rate_limited', undefined, { retryAfterSeconds });
}
