import { timingSafeEqual } from 'node:crypto';
import { apiError } from '../../errors.ts';
import { createCachedRead } from '../../platform/cache.ts';
import type { Changes } from '../../platform/database/changes.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { createReach } from '../../platform/database/reach.ts';
import type { Principal, Scope } from '../../platform/http/http.ts';
import { createRateLimit, type RateVerdict } from '../../platform/http/rate-limit.ts';
import { inBoth, TERMS } from '../../wording.ts';
import { createFailedKeys, tooManyFailed } from './failed-keys.ts';
import { parseKey, secretHash } from './key.ts';
import { createLastUse } from './last-use.ts';
import { hasExpired, mayBeUsedFrom } from './narrowing.ts';
import { type Credential, findCredential } from './store.ts';

export interface KeyCheck {
  /**
   * Throws unauthorized, also for a key that has expired; rate_limited once the address failed too often;
   * insufficient_scope for an address that the key may not be used from.
   */
  identify(presented: string | undefined, address: string): Promise<KeyHolder>;
  /** The current holder of an identified key. Throws unauthorized if revoked or expired. */
  recall(apiKeyId: string): Promise<KeyHolder>;
  /** Any of `scopes` is enough. Throws tenant_suspended, tenant_deactivated, insufficient_scope. */
  admit(holder: KeyHolder, scopes: readonly Scope[]): Principal;
  spend(apiKeyId: string): RateVerdict | null;
  close(): Promise<void>;
}

interface KeyHolder {
  readonly apiKeyId: string;
  readonly credential: Credential;
  /** Address that it is used from; null: the one that it was identified from. */
  readonly address: string | null;
}

interface KeyCheckDeps extends DbAndClock {
  changes: Changes;
  keyRate: { perSecond: number; burst: number };
  /** False: keys of sandbox accounts are invalid. */
  sandbox: boolean;
  /** Failures of well-formed keys per address. */
  failures?: { perMinute: number };
  onError?: (error: unknown) => void;
}

/** Compared without a key, so that a miss takes as long. No hash is all zero. */
const NO_SECRET = Buffer.alloc(32);

function readKey(presented: string): KnownKey | null {
  const key = parseKey(presented);
  return key === null ? null : { apiKeyId: key.apiKeyId, secretHash: secretHash(key.secret) };
}

/** Constant time, also without a credential. */
function fits(presentedHash: Buffer, credential: Credential | null): boolean {
  return timingSafeEqual(presentedHash, credential?.secretSha256 ?? NO_SECRET) && credential !== null;
}

interface KnownKey {
  readonly apiKeyId: string;
  readonly secretHash: Buffer;
}

const KNOWN_KEYS_MAX = 1_000;

function keep(knownKeys: Map<string, KnownKey>, presented: string, key: KnownKey): void {
  if (knownKeys.has(presented)) return;
  if (knownKeys.size >= KNOWN_KEYS_MAX) knownKeys.delete(knownKeys.keys().next().value!);
  knownKeys.set(presented, key);
}

/** Throws unauthorized for a key that has expired, insufficient_scope for an address that it is not for. */
function assertGood({ narrowing }: Credential, now: Date, address: string | null): void {
  if (hasExpired(narrowing, now)) throw apiError('unauthorized');
  if (address !== null && !mayBeUsedFrom(narrowing, address))
    throw apiError('insufficient_scope', `The API key may not be used from ${address}.`);
}

/** Outside the sandbox its keys are unknown. */
function createReadCredential(deps: KeyCheckDeps): (apiKeyId: string) => Promise<Credential | null> {
  const reach = createReach({ ...deps, backForMs: 0 });
  return async (apiKeyId) => {
    const credential = await reach.look(async (among, why) => {
      const found = await findCredential(deps.db, apiKeyId, among);
      // It may be of an account on the lost node.
      if (found === null && why !== null) throw why;
      return found;
    });
    return credential?.sandbox === true && !deps.sandbox ? null : credential;
  };
}

/** Another process may have renewed an agent's key just now. Only a refusal costs a read. */
function mayBeRenewed(credential: Credential | null, presentedHash: Buffer): boolean {
  return credential !== null && credential.resource !== null && !fits(presentedHash, credential);
}

export function createKeyCheck(deps: KeyCheckDeps): KeyCheck {
  const { db, clock, changes, keyRate } = deps;
  const credentials = createCachedRead<Credential>({
    clock,
    read: createReadCredential(deps),
  });
  changes.on('api_key', credentials.forget);
  // Rare: forgetting all keys is simplest.
  changes.on('tenant', () => credentials.forgetPrefix(''));

  const lastUse = createLastUse({ db, clock, ...(deps.onError && { onError: deps.onError }) });
  const failed = createFailedKeys(clock, deps.failures?.perMinute);
  const requestsOf = keyRate.perSecond > 0 ? createRateLimit({ clock, ...keyRate }) : null;

  const knownKeys = new Map<string, KnownKey>();

  async function find({ apiKeyId, secretHash: presentedHash }: KnownKey): Promise<Credential | null> {
    const credential = await credentials.get(apiKeyId);
    if (!mayBeRenewed(credential, presentedHash)) return credential;
    credentials.forget(apiKeyId);
    return credentials.get(apiKeyId);
  }

  return {
    async identify(presented, address) {
      const key = presented === undefined ? null : (knownKeys.get(presented) ?? readKey(presented));
      // Cheap and therefore not counted: a caller without a key should keep getting 401.
      if (key === null) throw apiError('unauthorized');
      const { apiKeyId, secretHash: presentedHash } = key;
      const lately = credentials.peek(apiKeyId);
      const seen = fits(presentedHash, lately);
      const found = seen ? credentials.get(apiKeyId) : failed.lookUp(address, () => find(key));
      const credential = found instanceof Promise ? await found : found;
      if (credential !== null && ((seen && credential === lately) || fits(presentedHash, credential))) {
        keep(knownKeys, presented!, key);
        assertGood(credential, clock.now(), address);
        return { apiKeyId, credential, address };
      }
      const waitSeconds = failed.count(address);
      throw waitSeconds === null ? apiError('unauthorized') : tooManyFailed(waitSeconds);
    },
    async recall(apiKeyId) {
      const credential = await credentials.get(apiKeyId);
      if (credential === null) throw apiError('unauthorized');
      assertGood(credential, clock.now(), null);
      return { apiKeyId, credential, address: null };
    },
    admit({ apiKeyId, credential, address }, scopes) {
      if (credential.tenantStatus === 'suspended') throw apiError('tenant_suspended');
      if (credential.tenantStatus === 'deactivated') throw apiError('tenant_deactivated');
      if (!scopes.some((scope) => credential.scopes.includes(scope))) {
        throw apiError(
          'insufficient_scope',
          inBoth`${TERMS.requires} the scope ${scopes.join(' or ')}; the API key has ${credential.scopes.join(', ') || 'none'}.`,
        );
      }
      const { tenantId, actor, scopes: held, narrowing, resource } = credential;
      lastUse.touch({ tenantId, apiKeyId, from: address }, credential.lastUsedAt?.getTime() ?? 0);
      return { tenantId, actor, scopes: held, narrowing, ...(resource !== null && { resource }) };
    },
    spend: (apiKeyId) => requestsOf?.take(apiKeyId) ?? null,
    close: lastUse.close,
  };
}
