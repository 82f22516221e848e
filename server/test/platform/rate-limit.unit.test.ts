import { describe, expect, test } from 'vitest';
import { createRateLimit } from '../../src/platform/http/rate-limit.ts';
import { networkOf } from '../../src/platform/network/network.ts';

function setup(options: { perSecond: number; burst: number; maxKeys?: number }) {
  let nowMs = 0;
  const limit = createRateLimit({
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    ...options,
  });
  return {
    limit,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('token buckets', () => {
  test('hold a burst and refill steadily', () => {
    const { limit, pass } = setup({ perSecond: 2, burst: 3 });
    expect([1, 2, 3, 4].map(() => limit.take('k').ok)).toEqual([true, true, true, false]);
    expect(limit.take('k').retryAfterSeconds).toBe(1);
    pass(500);
    expect(limit.peek('k')).toEqual({ ok: true, remaining: 1, retryAfterSeconds: 0 });
    expect(limit.take('k')).toEqual({ ok: true, remaining: 0, retryAfterSeconds: 1 });
    pass(3_600_000);
    expect(limit.peek('k').remaining).toBe(3);
  });

  test('are one a key, and forget full ones before others', () => {
    const { limit, pass } = setup({ perSecond: 1, burst: 2, maxKeys: 4 });
    limit.take('spent');
    limit.take('spent');
    expect(limit.take('spent').ok).toBe(false);
    for (const key of ['a', 'b', 'c', 'd', 'e']) limit.peek(key);
    expect(limit.take('spent').ok).toBe(false);
    pass(2_000);
    expect(limit.take('spent').ok).toBe(true);
  });
});

describe('the address that limits count by', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
