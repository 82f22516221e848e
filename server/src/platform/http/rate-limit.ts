import type { Clock } from '../clock.ts';

/** Token buckets per key, in this process. */
interface RateLimit {
  take(key: string): RateVerdict;
  peek(key: string): RateVerdict;
}

export interface RateVerdict {
  ok: boolean;
  remaining: number;
  /** Seconds, rounded up, until the next token (0: now). */
  retryAfterSeconds: number;
}

interface RateLimitOptions {
  clock: Clock;
  perSecond: number;
  burst: number;
  /** Beyond this, full buckets are dropped first. */
  maxKeys?: number;
}

const MAX_KEYS = 50_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { clock, perSecond, burst, maxKeys = MAX_KEYS } = options;
  const buckets = new Map<string, Bucket>();

  function refill(bucket: Bucket, nowMs: number): void {
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
  }

  function find(key: string): Bucket {
    const nowMs = clock.monotonicMs();
    let bucket = buckets.get(key);
    if (bucket !== undefined) {
      refill(bucket, nowMs);
      return bucket;
    }
    if (buckets.size >= maxKeys) makeRoom(nowMs);
    bucket = { tokens: burst, atMs: nowMs };
    buckets.set(key, bucket);
    return bucket;
  }

  /** Runs at most once per maxKeys/2 new keys: drops full buckets, then the oldest. */
  function makeRoom(nowMs: number): void {
    for (const [key, bucket] of buckets) {
      refill(bucket, nowMs);
      if (bucket.tokens >= burst) buckets.delete(key);
    }
    for (const key of buckets.keys()) {
      if (buckets.size <= maxKeys / 2) break;
      buckets.delete(key);
    }
  }

  function verdict(bucket: Bucket, ok: boolean): RateVerdict {
    return {
      ok,
      remaining: Math.floor(bucket.tokens),
      retryAfterSeconds: bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / perSecond),
    };
  }

  return {
    take(key) {
      const bucket = find(key);
      const ok = bucket.tokens >= 1;
      if (ok) bucket.tokens -= 1;
      return verdict(bucket, ok);
    },
    peek(key) {
      const bucket = find(key);
      return verdict(bucket, bucket.tokens >= 1);
    },
  };
}
