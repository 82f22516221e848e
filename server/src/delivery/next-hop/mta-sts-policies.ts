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

/**
 * The MTA-STS policies of recipients' domains: announced by DNS, fetched over HTTPS, kept for their max_age
 * over restarts. RFC 8461 §3
 */
export interface MtaStsPolicies {
  /**
   * The policy that applies to the domain now; null where there is none. Rejects only while the database is
   * away: what it keeps may forbid plain text, and the message waits.
   */
  policyFor(domain: string): Promise<MtaStsPolicy | null>;
}

/**
 * Gets a policy's text. Rejects on anything but 200 over WebPKI with the right type; redirects are not
 * followed. RFC 8461 §3.3
 */
export type FetchPolicy = (url: string) => Promise<string>;

/** Domains remembered in this process, those without a policy included. */
const MAX_POLICIES = 10_000;
/** Policies whose time is over that one new policy clears away. */
const CLEARED_AT_ONCE = 100;
/**
 * After a failed fetch the next one waits, so that a broken site is not asked for every message. RFC 8461
 * §3.3
 */
const REFETCH_AFTER_MS = 300_000;
/** Time that a fetch may delay a message; RFC 8461 §3.3 suggests a minute, which nobody should wait. */
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
  /** What the database has, as far as this process looked; null: nothing. */
  const kept = new Map<string, CachedPolicy | null>();
  const looking = new Map<string, Promise<void>>();
  const failedAtMs = new Map<string, number>();
  const fetching = new Map<string, Promise<MtaStsPolicy | null>>();

  async function announcedId(domain: string): Promise<string | null> {
    const txt = await resolver.lookup(recordName(domain), 'TXT');
    return txt.kind === 'found' ? readRecord(txt.records) : null;
  }

  /** Looked up once for all who ask meanwhile: a slow answer must not undo what was fetched since. */
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

  /** A policy that could not be recorded holds in this process all the same. */
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
      // RFC 8461 §3.3: without a policy mail goes as if there were none; one that is still valid keeps
      // applying.
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

/**
 * Fetches policies from public addresses only: a domain name given by a stranger must not make us ask our own
 * network.
 */
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
