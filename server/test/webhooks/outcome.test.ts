import { expect, test } from 'vitest';
import { decideWebhook, RETRY_WAITS_MS } from '../../src/webhooks/outcome.ts';
import { createPlaces } from '../../src/webhooks/places.ts';

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
  });
  expect(decideWebhook({ ...facts, result: failure, stopped: true }).kind).toBe('retry');
  expect(decideWebhook({ ...facts, result: silence }).kind).toBe('retry');
});

test('places are bounded by tenant and by endpoint, and come back', () => {
  const places = createPlaces({ perTenant: 5, windowStart: 3, windowMax: 4 });
  places.take('t', 'a', 3);
  expect(places.room('t', 'a')).toBe(0);
  expect(places.room('t', 'b')).toBe(2);
  expect(places.room('u', 'c')).toBe(3);
  places.take('t', 'b', 2);
  expect(places.room('t', 'd')).toBe(0);
  places.leave('t', 'a', null);
  expect(places.room('t', 'a')).toBe(1);
});

test('a window grows with each answer to its most, and halves without one down to a single place', () => {
  const places = createPlaces({ perTenant: 100, windowStart: 8, windowMax: 10 });
  const sizes = [true, true, true, false, false, false, false, true, null].map((answered) => {
    places.take('t', 'a', 1);
    places.leave('t', 'a', answered);
    return places.room('t', 'a');
  });
  expect(sizes).toEqual([9, 10, 10, 5, 2, 1, 1, 2, 2]);
  expect(places.room('t', 'b')).toBe(8);
});
