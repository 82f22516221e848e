import type { Clock } from './clock.ts';

/**
 * Caches reads of hot paths: a hit costs one map look-up. Entries expire after `ttlMs`, so a lost notice
 * costs freshness only for that long.
 */
export interface CachedRead<V> {
  /** A fresh value at once, else a promise of one shared read. A missing value (null) is not cached. */
  get(key: string): V | null | Promise<V | null>;
  /** Forgets the key, and a read of it under way. */
  forget(key: string): void;
  forgetPrefix(prefix: string): void;
  /** The last known value, fresh or not, until `forget`; null when there is none. */
  peek(key: string): V | null;
}

interface CachedReadOptions<V> {
  clock: Clock;
  read(key: string): Promise<V | null>;
  keep?: (value: V) => boolean;
  ttlMs?: number;
  maxEntries?: number;
}

/** Longest time that another process's change stays unseen when its notice is lost (ms). */
const CACHE_TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

interface Entry<V> {
  value: V;
  readAtMs: number;
}

export function createCachedRead<V extends NonNullable<unknown>>(
  options: CachedReadOptions<V>,
): CachedRead<V> {
  const { clock, ttlMs = CACHE_TTL_MS, maxEntries = MAX_ENTRIES } = options;
  const entries = new Map<string, Entry<V>>();
  const reading = new Map<string, Promise<V | null>>();

  function read(key: string): Promise<V | null> {
    // Age counts from before the read: the answer may already be that old.
    const readAtMs = clock.monotonicMs();
    const done = options.read(key).then(
      (value) => {
        if (reading.get(key) !== done) return value;
        reading.delete(key);
        entries.delete(key);
        if (value !== null && options.keep?.(value) !== false) keep(key, { value, readAtMs });
        return value;
      },
      (error) => {
        if (reading.get(key) === done) reading.delete(key);
        throw error;
      },
    );
    reading.set(key, done);
    return done;
  }

  function keep(key: string, entry: Entry<V>): void {
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
    entries.set(key, entry);
  }

  function forget(key: string): void {
    entries.delete(key);
    reading.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry !== undefined && clock.monotonicMs() - entry.readAtMs < ttlMs) return entry.value;
      return reading.get(key) ?? read(key);
    },
    forget,
    forgetPrefix(prefix) {
      for (const key of [...entries.keys(), ...reading.keys()]) if (key.startsWith(prefix)) forget(key);
    },
    peek: (key) => entries.get(key)?.value ?? null,
  };
}
