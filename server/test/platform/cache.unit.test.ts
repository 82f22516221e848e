import { describe, expect, test } from 'vitest';
import { createCachedRead } from '../../src/platform/cache.ts';

function setup(options: { maxEntries?: number; keep?: (value: string) => boolean } = {}) {
  let nowMs = 0;
  const reads: string[] = [];
  const store = new Map<string, string>();
  let gate: Promise<void> = Promise.resolve();
  const cache = createCachedRead<string>({
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    ttlMs: 1_000,
    ...options,
    async read(key) {
      reads.push(key);
      const value = store.get(key) ?? null;
      await gate;
      if (value === 'fault') throw new Error('down');
      return value;
    },
  });
  return {
    cache,
    reads,
    store,
    pass: (ms: number) => {
      nowMs += ms;
    },
    hold() {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

describe('cached reads', () => {
  test('answer at once while fresh, and read again after', async () => {
    const { cache, store, reads, pass } = setup();
    store.set('a', 'one');
    expect(await cache.get('a')).toBe('one');
    store.set('a', 'two');
    pass(999);
    expect(cache.get('a')).toBe('one');
    pass(1);
    expect(await cache.get('a')).toBe('two');
    expect(reads).toEqual(['a', 'a']);
  });

  test('share a read under way', async () => {
    const { cache, store, reads, hold } = setup();
    store.set('a', 'one');
    const open = hold();
    const both = [cache.get('a'), cache.get('a')];
    open();
    expect(await Promise.all(both)).toEqual(['one', 'one']);
    expect(reads).toEqual(['a']);
  });

  test('never keep a miss, a fault, or what may not be kept', async () => {
    const { cache, store, reads } = setup({ keep: (value) => value !== 'pending' });
    expect(await cache.get('a')).toBeNull();
    store.set('a', 'pending');
    expect(await cache.get('a')).toBe('pending');
    store.set('a', 'fault');
    await expect(cache.get('a')).rejects.toThrow('down');
    store.set('a', 'one');
    expect(await cache.get('a')).toBe('one');
    expect(reads).toHaveLength(4);
  });

  test('forget, also what is being read when they are told to', async () => {
    const { cache, store, hold } = setup();
    store.set('a', 'old');
    const open = hold();
    const stale = cache.get('a');
    store.set('a', 'new');
    cache.forget('a');
    open();
    expect(await stale).toBe('old');
    expect(await cache.get('a')).toBe('new');
    expect(cache.peek('a')).not.toBeNull();
    cache.forgetPrefix('');
    expect(cache.peek('a')).toBeNull();
  });

  test('know a key past its freshness until it is gone', async () => {
    const { cache, store, pass } = setup();
    store.set('a', 'one');
    await cache.get('a');
    pass(5_000);
    expect(cache.peek('a')).not.toBeNull();
    store.delete('a');
    expect(await cache.get('a')).toBeNull();
    expect(cache.peek('a')).toBeNull();
  });

  test('hold no more than they may', async () => {
    const { cache, store } = setup({ maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) {
      store.set(key, key);
      await cache.get(key);
    }
    expect(['a', 'b', 'c'].map((key) => cache.peek(key) !== null)).toEqual([false, true, true]);
  });
});
