import { timingSafeEqual } from 'node:crypto';
import { apiError } from '../../errors.ts';
import { createCachedRead } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Principal, Scope } from '../../platform/http/http.ts';
import { createRateLimit, type RateVerdict } from '../../platform/http/rate-limit.ts';
import { networkOf } from '../../platform/network/network.ts';
import { inBoth, TERMS } from '../../wording.ts';
import { parseKey, secretHash } from './key.ts';
import { createLastUse } from './last-use.ts';
import { type Credential, findCredential } from './store.ts';

/**
 * Who an API key speaks for, wherever it is presented: HTTP and SMTP share one check, and so one count of
 * what failed.
 */
export interface KeyCheck {
  /**
   * Throws unauthorized for whatever is wrong with the key, or rate_limited for an address that failed too
   * often.
   */
  identify(presented: string | undefined, address: string): Promise<KeyHolder>;
  /** The current holder of a key that was identified before. Throws unauthorized when the key is gone. */
  recall(apiKeyId: string): Promise<KeyHolder>;
  /** Throws tenant_suspended, tenant_deactivated, insufficient_scope; any one of `scopes` is enough. */
  admit(holder: KeyHolder, scopes: readonly Scope[]): Principal;
  /** True for a key, id and secret, that was good here lately. */
  known(presented: string): boolean;
  /** Takes one request from the key's allowance; null when nothing is limited. */
  spend(apiKeyId: string): RateVerdict | null;
  /** Writes the last uses still held back. */
  close(): Promise<void>;
}

export interface KeyHolder {
  readonly apiKeyId: string;
  readonly credential: Credential;
}

export interface KeyCheckDeps {
  db: Db;
  clock: Clock;
  changes: Changes;
  /** Requests a key may make in a second, and at once after a pause; 0 requests per second: no limit. */
  keyRate: { perSecond: number; burst: number };
  /** Whether this process runs the sandbox: elsewhere the keys of sandbox accounts are invalid. */
  sandbox: boolean;
  /** Failed authentications with well-formed keys that one address may make before it must wait. */
  failures?: { perMinute: number };
  onError?: (error: unknown) => void;
}

/** Enough for a deployment with a mistyped key to learn that from its 401s, far too few to guess 160 bits. */
export const FAILURES_PER_MINUTE = 100;

/**
 * Compared against when there is no key, so that a miss takes the time of a wrong secret. Matches nothing: no
 * hash is all zero.
 */
const NO_SECRET = Buffer.alloc(32);

function readKey(presented: string): KnownKey | null {
  const key = parseKey(presented);
  return key === null ? null : { apiKeyId: key.apiKeyId, secretHash: secretHash(key.secret) };
}

/** Takes the same time when there is no credential. */
function fits(presentedHash: Buffer, credential: Credential | null): boolean {
  return timingSafeEqual(presentedHash, credential?.secretSha256 ?? NO_SECRET) && credential !== null;
}

/**
 * What was parsed from a key that was valid. It decides nothing: whether the key is still valid is checked
 * each time.
 */
interface KnownKey {
  readonly apiKeyId: string;
  readonly secretHash: Buffer;
}

/** Keys of which that is kept; the one first seen goes first. */
const KNOWN_KEYS_MAX = 1_000;

function keep(knownKeys: Map<string, KnownKey>, presented: string, key: KnownKey): void {
  if (knownKeys.has(presented)) return;
  if (knownKeys.size >= KNOWN_KEYS_MAX) knownKeys.delete(knownKeys.keys().next().value!);
  knownKeys.set(presented, key);
}

/** A hit costs three map look-ups. */
export function createKeyCheck(deps: KeyCheckDeps): KeyCheck {
  const { db, clock, changes, keyRate, sandbox, failures = { perMinute: FAILURES_PER_MINUTE } } = deps;
  /** Outside of the sandbox its keys are unknown: to HTTP and SMTP, to new sessions and old ones. */
  async function readCredential(apiKeyId: string): Promise<Credential | null> {
    const credential = await findCredential(db, apiKeyId);
    return credential?.sandbox === true && !sandbox ? null : credential;
  }

  const credentials = createCachedRead<Credential>({
    clock,
    read: readCredential,
  });
  changes.on('api_key', credentials.forget);
  // A change of an account's state is rare: forgetting all keys is simpler than knowing whose they are.
  changes.on('tenant', () => credentials.forgetPrefix(''));

  const lastUse = createLastUse({ db, clock, ...(deps.onError && { onError: deps.onError }) });
  const failedBy = createRateLimit({ clock, perSecond: failures.perMinute / 60, burst: failures.perMinute });
  const requestsOf = keyRate.perSecond > 0 ? createRateLimit({ clock, ...keyRate }) : null;

  function refuseWhenSpent({ ok, retryAfterSeconds }: RateVerdict): void {
    if (!ok)
      throw apiError(
        'rate_limited',
        'Too many failed authentications from this address: retry after the seconds in Retry-After.',
        { retryAfterSeconds },
      );
  }

  const knownKeys = new Map<string, KnownKey>();

  return {
    async identify(presented, address) {
      const key = presented === undefined ? null : (knownKeys.get(presented) ?? readKey(presented));
      // Costs no look-up, so it need not count: a caller that forgot its key should keep reading 401.
      if (key === null) throw apiError('unauthorized');
      const { apiKeyId, secretHash: presentedHash } = key;
      // Keys that were valid here before still work, so that one guesser at an address does not lock out its
      // neighbours. An id alone is not a key: somebody who has seen one must not guess its secret without
      // limit.
      const lately = credentials.peek(apiKeyId);
      const seen = fits(presentedHash, lately);
      const network = networkOf(address);
      if (!seen) refuseWhenSpent(failedBy.peek(network));
      const found = credentials.get(apiKeyId);
      const credential = found instanceof Promise ? await found : found;
      if (credential !== null && ((seen && credential === lately) || fits(presentedHash, credential))) {
        keep(knownKeys, presented!, key);
        return { apiKeyId, credential };
      }
      refuseWhenSpent(failedBy.take(network));
      throw apiError('unauthorized');
    },
    async recall(apiKeyId) {
      const credential = await credentials.get(apiKeyId);
      if (credential === null) throw apiError('unauthorized');
      return { apiKeyId, credential };
    },
    admit({ apiKeyId, credential }, scopes) {
      if (credential.tenantStatus === 'suspended') throw apiError('tenant_suspended');
      if (credential.tenantStatus === 'deactivated') throw apiError('tenant_deactivated');
      if (!scopes.some((scope) => credential.scopes.includes(scope))) {
        throw apiError(
          'insufficient_scope',
          inBoth`${TERMS.requires} the scope ${scopes.join(' or ')}; the API key has ${credential.scopes.join(', ') || 'none'}.`,
        );
      }
      lastUse.touch(credential.tenantId, apiKeyId, credential.lastUsedAt?.getTime() ?? 0);
      return { tenantId: credential.tenantId, actor: credential.actor, scopes: credential.scopes };
    },
    known(presented) {
      const key = readKey(presented);
      return key !== null && fits(key.secretHash, credentials.peek(key.apiKeyId));
    },
    spend: (apiKeyId) => requestsOf?.take(apiKeyId) ?? null,
    close: lastUse.close,
  };
}
