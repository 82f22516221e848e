import type { DnsQuery, DnsResult } from './dns-client.ts';
import { type DnsData, type DnsType, RCODE } from './dns-message.ts';

/**
 * An answer of the DNS: records, certainty that there are none (of the type, or of the name), or nothing for
 * now.
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly records: readonly T[]; readonly authenticated: boolean }
  | { readonly kind: 'nxdomain' | 'nodata'; readonly authenticated: boolean }
  | { readonly kind: 'servfail' | 'timeout'; readonly detail: string };

/** Look-ups as delivery needs them. Never rejects. */
export interface MailResolver {
  lookup<T extends DnsType>(name: string, type: T): Promise<Lookup<DnsData[T]>>;
}

export interface ResolverOptions {
  readonly query: DnsQuery;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly maxEntries?: number;
}

const DEFAULT_MAX_ENTRIES = 10_000;
/** Of answers kept. One has some 100 characters; a stranger's may have 100 000. */
const MAX_CHARS = 16_777_216;
/** No record is kept longer, so that a change of MX is seen within the hour. */
const MAX_TTL_MS = 3_600_000;
/**
 * No absence is kept longer: a domain that has just been set up gets its mail soon. RFC 2308 §7 allows 5
 * minutes for failures.
 */
const MAX_NEGATIVE_TTL_MS = 300_000;
/**
 * A failure is kept so long, so that a thousand messages for one broken domain do not ask a thousand times.
 */
const FAILURE_TTL_MS = 10_000;

interface Entry {
  readonly until: number;
  readonly lookup: Lookup<unknown>;
  readonly chars: number;
}

/**
 * A cache in front of `query`, bounded in time by the records and in size; one question is asked once at a
 * time.
 */
export function createResolver(options: ResolverOptions): MailResolver {
  const { query, now } = options;
  const maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, Promise<Lookup<unknown>>>();
  let chars = 0;

  function forget(key: string): void {
    chars -= entries.get(key)?.chars ?? 0;
    entries.delete(key);
  }

  function keep(key: string, lookup: Lookup<unknown>, ttlMs: number): void {
    forget(key);
    if (ttlMs <= 0) return;
    const entry = { until: now() + ttlMs, lookup, chars: JSON.stringify(lookup).length };
    entries.set(key, entry);
    chars += entry.chars;
    // A Map gives its keys in the order of their setting: the oldest goes.
    while (entries.size > maxEntries || chars > MAX_CHARS) forget(entries.keys().next().value!);
  }

  async function ask(key: string, name: string, type: DnsType): Promise<Lookup<unknown>> {
    try {
      const result = await query(name, type);
      const { lookup, ttlMs } = judge(result);
      keep(key, lookup, ttlMs);
      return lookup;
    } finally {
      underWay.delete(key);
    }
  }

  return {
    async lookup<T extends DnsType>(name: string, type: T): Promise<Lookup<DnsData[T]>> {
      const key = `${type} ${name.toLowerCase().replace(/\.$/, '')}`;
      const kept = entries.get(key);
      if (kept !== undefined && kept.until > now()) return kept.lookup as Lookup<DnsData[T]>;
      let asking = underWay.get(key);
      if (asking === undefined) {
        asking = ask(key, name, type);
        underWay.set(key, asking);
      }
      return asking as Promise<Lookup<DnsData[T]>>;
    },
  };
}

function judge(result: DnsResult<unknown>): { lookup: Lookup<unknown>; ttlMs: number } {
  if (result.kind !== 'answer') return { lookup: result, ttlMs: FAILURE_TTL_MS };
  const { rcode, records, authenticated, ttlSeconds } = result.answer;
  const ttlMs = ttlSeconds * 1_000;
  if (records.length > 0) {
    return { lookup: { kind: 'found', records, authenticated }, ttlMs: Math.min(ttlMs, MAX_TTL_MS) };
  }
  const kind = rcode === RCODE.nxDomain ? 'nxdomain' : 'nodata';
  return { lookup: { kind, authenticated }, ttlMs: Math.min(ttlMs, MAX_NEGATIVE_TTL_MS) };
}
