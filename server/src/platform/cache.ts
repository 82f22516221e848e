import type { Clock } from './clock.ts';

/**
 * Reads that hot paths repeat, kept for a moment: a hit costs a map look-up and no promise. Entries age out
 * after `ttlMs`, so that a change made elsewhere holds within that time even when its notice is lost.
 */
export interface CachedRead<V> {
  /**
   * The value: at once when fresh, else as a promise of one shared read. A missing one (null) is never kept.
   */
  get(key: string): V | null | Promise<V | null>;
  /** Forgets the key; a read under way when this is called is not kept either. */
  forget(key: string): void;
  /** Forgets every key that begins with `prefix`. */
  forgetPrefix(prefix: string): void;
  /**
   * The value that the key has or lately had, read or not: it outlives freshness, not `forget`. Null when
   * there is none.
   */
  peek(key: string): V | null;
}

export interface CachedReadOptions<V> {
  clock: Clock;
  read(key: string): Promise<V | null>;
  /** Whether a value may be kept; by default each may. */
  keep?: (value: V) => boolean;
  /** How long a value may be used after it was read (ms). */
  ttlMs?: number;
  /** Most keys kept; the one read longest ago goes first. */
  maxEntries?: number;
}

/** Longest time for which a change made by another process may go unseen when its notice is lost. */
export const CACHE_TTL_MS = 2_000;
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
    // The age counts from before the read: what it returns may be that old already.
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
