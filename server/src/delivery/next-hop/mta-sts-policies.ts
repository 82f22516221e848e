import {
  type CachedPolicy,
  decidePolicy,
  MAX_POLICY_BYTES,
  type MtaStsPolicy,
  policyUrl,
  readPolicy,
  readRecord,
  recordName,
} from '@acuse/mail/routing/mta-sts';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { Agent, request } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { createGuardedConnect, type GuardedConnectOptions } from '../../platform/network/guarded-connect.ts';
import { deletePoliciesBefore, findPolicy, savePolicy } from './mta-sts-store.ts';

/** MTA-STS policies: announced in DNS, fetched by HTTPS, kept for max_age across restarts. RFC 8461 §3 */
export interface MtaStsPolicies {
  /**
   * The domain's current policy; null: none. Rejects only while the database is away: a stored policy may
   * forbid plain text.
   */
  policyFor(domain: string): Promise<MtaStsPolicy | null>;
}

/**
 * Fetches a policy. Accepts only 200 over WebPKI with the right type; redirects are not followed. RFC 8461
 * §3.3
 */
export type FetchPolicy = (url: string) => Promise<string>;

/** Domains cached, those without a policy included. */
const MAX_POLICIES = 10_000;
/** Expired policies deleted with each new one. */
const CLEARED_AT_ONCE = 100;
/** Pause after a failed fetch (ms). RFC 8461 §3.3 */
const REFETCH_AFTER_MS = 300_000;
/** Longest delay by a fetch (ms); RFC 8461 §3.3 suggests a minute, which is too long. */
const FETCH_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 1_000;

export function createMtaStsPolicies(deps: {
  resolver: MailResolver;
  fetchPolicy: FetchPolicy;
  clock: Clock;
  db: Db;
  log: Log;
}): MtaStsPolicies {
  const { resolver, fetchPolicy, clock, db, log } = deps;
  /** Cached rows of the database; null: none. */
  const kept = new Map<string, CachedPolicy | null>();
  const looking = new Map<string, Promise<void>>();
  const failedAtMs = new Map<string, number>();
  const fetching = new Map<string, Promise<MtaStsPolicy | null>>();

  async function announcedId(domain: string): Promise<string | null> {
    const txt = await resolver.lookup(recordName(domain), 'TXT');
    return txt.kind === 'found' ? readRecord(txt.records) : null;
  }

  /** One shared look-up: a slow answer must not undo a newer fetch. */
  async function keptFor(domain: string): Promise<CachedPolicy | null> {
    if (!kept.has(domain)) {
      const underWay = looking.get(domain) ?? lookUp(domain).finally(() => looking.delete(domain));
      looking.set(domain, underWay);
      await underWay;
    }
    return kept.get(domain) ?? null;
  }

  async function lookUp(domain: string): Promise<void> {
    remember(kept, domain, await findPolicy(db, domain));
  }

  /** Applies in this process even if it cannot be stored. */
  async function keep(domain: string, policy: CachedPolicy): Promise<void> {
    remember(kept, domain, policy);
    try {
      await savePolicy(db, domain, policy, endOf(policy));
      await deletePoliciesBefore(db, clock.now(), CLEARED_AT_ONCE);
    } catch (error) {
      log.warn(
        { err: error, domain },
        'an MTA-STS policy could not be cached; it will be fetched again after a restart',
      );
    }
  }

  async function fetchNow(
    domain: string,
    id: string,
    held: MtaStsPolicy | null,
  ): Promise<MtaStsPolicy | null> {
    try {
      const policy = readPolicy(await fetchPolicy(policyUrl(domain)));
      if (policy === null) throw new Error('not an MTA-STS policy');
      await keep(domain, { id, policy, fetchedAt: clock.now() });
      failedAtMs.delete(domain);
      return policy;
    } catch {
      // RFC 8461 §3.3: without a policy, mail goes as usual; a valid one keeps applying.
      remember(failedAtMs, domain, clock.monotonicMs());
      return held;
    }
  }

  return {
    async policyFor(domain) {
      const id = await announcedId(domain);
      const { fetch, policy } = decidePolicy(await keptFor(domain), id, clock.now());
      if (!fetch || id === null) return policy;
      const failedMs = failedAtMs.get(domain);
      if (failedMs !== undefined && clock.monotonicMs() - failedMs < REFETCH_AFTER_MS) return policy;
      const underWay =
        fetching.get(domain) ?? fetchNow(domain, id, policy).finally(() => fetching.delete(domain));
      fetching.set(domain, underWay);
      return underWay;
    },
  };
}

function endOf({ policy, fetchedAt }: CachedPolicy): Date {
  return new Date(fetchedAt.getTime() + policy.maxAgeSeconds * 1_000);
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= MAX_POLICIES) map.delete(map.keys().next().value!);
  map.set(key, value);
}

/** Fetches from public addresses only: a stranger's domain must not reach our network. */
export function createFetchPolicy(options: Omit<GuardedConnectOptions, 'connectTimeoutMs'>): FetchPolicy {
  const guard = createGuardedConnect({ ...options, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  const agent = new Agent({ connect: guard.connect, keepAliveTimeout: KEEP_ALIVE_MS });
  return async (url) => {
    const answer = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      headers: { accept: 'text/plain' },
    });
    const type = String(answer.headers['content-type'] ?? '');
    if (answer.statusCode !== 200 || !/^text\/plain\s*(?:;|$)/i.test(type)) {
      answer.body.on('error', () => {}).destroy();
      throw new Error(`${url}: status ${answer.statusCode}, ${type}`);
    }
    let text = '';
    for await (const chunk of answer.body) {
      text += String(chunk);
      if (text.length > MAX_POLICY_BYTES) throw new Error(`${url}: over ${MAX_POLICY_BYTES} bytes`);
    }
    return text;
  };
}
