import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConcurrencyLimits } from '../../src/webhooks/concurrency.ts';
import { decideWebhook, RETRY_WAITS_MS } from '../../src/webhooks/outcome.ts';

const finishedAt = new Date('2026-01-01T00:00:00Z');
const facts = { stopped: false, attempt: 1, finishedAt, random: 0.5 };
const failure = { ok: false, statusCode: 500 };

test('retries come after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and then no more', () => {
  const waits = RETRY_WAITS_MS.map((_, at) => {
    const outcome = decideWebhook({ ...facts, result: failure, attempt: at + 1 });
    return outcome.kind === 'retry' ? (outcome.dueAt.getTime() - finishedAt.getTime()) / 60_000 : null;
  });
  expect(waits).toEqual([5 / 60, 5, 30, 120, 300, 600, 600]);
  expect(decideWebhook({ ...facts, result: failure, attempt: 8 })).toEqual({ kind: 'failed' });
});

test('jitter is a tenth to either side', () => {
  const at = (random: number) => {
    const outcome = decideWebhook({ ...facts, result: failure, attempt: 2, random });
    return outcome.kind === 'retry' ? outcome.dueAt.getTime() - finishedAt.getTime() : null;
  };
  expect(at(0)).toBe(270_000);
  expect(at(0.999_999)).toBeLessThanOrEqual(330_000);
  expect(at(0.999_999)).toBeGreaterThan(329_000);
});

test('a success delivers, 410 ends it, and what we broke off counts for nothing', () => {
  expect(decideWebhook({ ...facts, result: { ok: true, statusCode: 204 } })).toEqual({ kind: 'delivered' });
  expect(decideWebhook({ ...facts, result: { ok: true, statusCode: 200 }, stopped: true })).toEqual({
    kind: 'delivered',
  });
  expect(decideWebhook({ ...facts, result: { ok: false, statusCode: 410 } })).toEqual({ kind: 'gone' });
  const silence = { ok: false, statusCode: null };
  expect(decideWebhook({ ...facts, result: silence, stopped: true, attempt: 8 })).toEqual({
    kind: 'released',
    dueAt: finishedAt,
  });
  expect(decideWebhook({ ...facts, result: failure, stopped: true }).kind).toBe('retry');
  expect(decideWebhook({ ...facts, result: silence }).kind).toBe('retry');
});

test('what this machine could not ask counts for nothing, however often, and is asked again soon', () => {
  const ours = { ok: false, statusCode: null, ours: true };
  expect(decideWebhook({ ...facts, result: ours, attempt: 8 })).toEqual({
    kind: 'released',
    dueAt: new Date(finishedAt.getTime() + 5_000),
  });
});

const PLACES = {
  fast: 100,
  reserved: 20,
  suspects: 10,
  stalled: 50,
  stallAfterMs: 1_000,
  perTenantProven: 100,
  perTenant: 100,
  windowStart: 8,
  windowMax: 10,
  onRoom() {},
};

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('places', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('are bounded by tenant and by endpoint, and come back', () => {
    const places = createConcurrencyLimits({ ...PLACES, perTenant: 5, windowStart: 3, windowMax: 4 });
    const [first] = times(3, () => places.begin('t', 'a'));
    expect(places.room('t', 'a')).toBe(0);
    expect(places.room('t', 'b')).toBe(2);
    expect(places.room('u', 'c')).toBe(3);
    times(2, () => places.begin('t', 'b'));
    expect(places.room('t', 'd')).toBe(0);
    first!.leave(null);
    expect(places.room('t', 'a')).toBe(1);
  });

  test('are more of a tenant for endpoints that answered soon, and no more for its others', () => {
    const shares = { perTenantProven: 12, perTenant: 6, windowStart: 6, windowMax: 6 };
    const places = createConcurrencyLimits({ ...PLACES, ...shares });
    for (const endpoint of ['a', 'b']) places.begin('t', endpoint).leave(true);
    const rooms = () => ['a', 'b', 'new'].map((endpoint) => places.room('t', endpoint));
    expect(rooms()).toEqual([6, 6, 6]);
    times(6, () => places.begin('t', 'a'));
    expect(rooms()).toEqual([0, 6, 0]);
    times(6, () => places.begin('t', 'b'));
    expect(rooms()).toEqual([0, 0, 0]);
    expect(places.room('u', 'new')).toBe(6);
  });

  test('of an endpoint grow with each answer to its most, and halve without one down to a single place', () => {
    const places = createConcurrencyLimits(PLACES);
    const sizes = [true, true, true, false, false, false, false, true, null].map((answered) => {
      places.begin('t', 'a').leave(answered);
      return places.room('t', 'a');
    });
    expect(sizes).toEqual([9, 10, 10, 5, 2, 1, 1, 2, 2]);
    expect(places.room('t', 'b')).toBe(8);
  });

  test('are given back to others by what is not answered, which goes on waiting', () => {
    let told = 0;
    const places = createConcurrencyLimits({ ...PLACES, onRoom: () => told++ });
    const hanging = times(80, (at) => places.begin(`t${at % 10}`, `e${at % 10}`));
    // All that unproven endpoints may have, but not what is kept for proven ones.
    expect(places.room('new', 'new')).toBe(0);
    vi.advanceTimersByTime(1_100);
    expect([places.room('new', 'new'), told]).toEqual([8, 1]);
    expect(hanging.filter(({ cut }) => cut.aborted)).toHaveLength(30);
    for (const place of hanging) place.leave(false);
    expect(places.room('t1', 'e1')).toBe(1);
  });

  test('are kept for endpoints that answered soon, and few are left to those that did not', () => {
    const places = createConcurrencyLimits(PLACES);
    places.begin('good', 'good').leave(true);
    times(20, (at) => {
      const late = places.begin(`s${at}`, `s${at}`);
      vi.advanceTimersByTime(1_100);
      late.leave(true);
    });
    // Ten suspects, and no more.
    times(10, (at) => places.begin(`s${at}`, `s${at}`));
    expect([places.room('s11', 's11'), places.room('new', 'new')]).toEqual([0, 8]);
    times(70, (at) => places.begin(`n${at}`, `n${at}`));
    expect([places.room('new', 'new'), places.room('good', 'good')]).toEqual([0, 9]);
  });

  test('the lane of those that wait cuts who has waited longest, of the tenant that has most', () => {
    const places = createConcurrencyLimits({ ...PLACES, stalled: 5 });
    const modest = times(2, () => places.begin('modest', 'm'));
    vi.advanceTimersByTime(1_100);
    const greedy = times(5, (at) => places.begin('greedy', `g${at}`));
    vi.advanceTimersByTime(1_100);
    expect(modest.map(({ cut }) => cut.aborted)).toEqual([false, false]);
    expect(greedy.map(({ cut }) => cut.aborted)).toEqual([true, true, false, false, false]);
  });

  test('turns go to the proven, then to whose tenant holds least, then round; many get one each', () => {
    const places = createConcurrencyLimits(PLACES);
    places.begin('a', 'proven').leave(true);
    places.begin('b', 'suspect').leave(false);
    places.begin('c', 'busy');
    const all = ['b/suspect', 'c/busy', 'd/new', 'a/proven', 'e/newer'].map((text) => {
      const [tenantId, webhookId] = text.split('/') as [string, string];
      return { tenantId, webhookId };
    });
    const { order, each } = places.turns(all);
    expect(order.map(({ webhookId }) => webhookId)).toEqual(['proven', 'new', 'newer', 'busy', 'suspect']);
    expect(each).toBe(15);
    const many = times(400, (at) => ({ tenantId: `t${at}`, webhookId: `e${at}` }));
    expect(places.turns(many).each).toBe(1);
  });
});
