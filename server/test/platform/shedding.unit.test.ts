import type { FastifyRequest } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { createShedding, type Shedding } from '../../src/platform/http/shedding.ts';

/** Accounts with so much under way, whose work has waited so long, on a loop that is so late. */
let underWay: Record<string, number>;
let waitedMs: Record<string, number>;
let lateMs: number;
let nowMs: number;
let shedding: Shedding;

beforeEach(() => {
  underWay = {};
  waitedMs = {};
  lateMs = 0;
  nowMs = 0;
  shedding = createShedding({
    admission: {
      work: (tenantId) =>
        tenantId === undefined
          ? Object.values(underWay).reduce((sum, each) => sum + each, 0)
          : (underWay[tenantId] ?? 0),
      tenants: () => Object.keys(underWay).length,
    },
    waitedMs: (tenantId) => waitedMs[tenantId] ?? 0,
    clock: { monotonicMs: () => nowMs },
    loop: { lateMs: () => lateMs, close: () => {} },
  });
});

function admits(tenantId: string): boolean {
  const request = {
    principal: { tenantId },
    routeOptions: { config: { sheds: 1 } },
    headers: { 'content-length': '300' },
  } as unknown as FastifyRequest;
  return shedding.admit(request) !== null;
}

describe('a send is let in', () => {
  test('while nothing waits', () => {
    underWay = { a: 500 };
    expect(admits('a')).toBe(true);
  });

  test('until what its account has waiting has waited too long; others are let in as before', () => {
    underWay = { a: 400, b: 400 };
    waitedMs = { a: 50 };
    expect(admits('a')).toBe(true);
    waitedMs = { a: 600 };
    expect(admits('a')).toBe(false);
    expect(admits('b')).toBe(true);
  });

  test('on a loop that is late only when its account did not make the load', () => {
    underWay = { flood: 900, some: 60, few: 3 };
    lateMs = 100;
    expect(admits('flood')).toBe(true);
    lateMs = 200;
    expect([admits('flood'), admits('some'), admits('few'), admits('new')]).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test('when it is of a route whose work waits for nobody', () => {
    underWay = { a: 1_000 };
    lateMs = 10_000;
    const request = { routeOptions: { config: {} } } as unknown as FastifyRequest;
    expect(shedding.admit(request)).toBe(0);
  });

  test('while what is under way is done in time, by the pace at which it was done so far', () => {
    underWay = { a: 900 };
    expect(admits('a')).toBe(true);
    underWay = { a: 1_800 };
    expect(admits('a')).toBe(false);
    // Four times as fast, for some windows.
    for (let window = 0; window < 20; window++) {
      nowMs += 250;
      shedding.done(2_000);
    }
    expect(admits('a')).toBe(true);
    // And then hardly at all.
    for (let window = 0; window < 20; window++) {
      nowMs += 250;
      shedding.done(10);
    }
    expect(admits('a')).toBe(false);
    underWay = { a: 20 };
    expect(admits('a')).toBe(true);
  });

  test('counts for more when it is a batch, or large', () => {
    const workOf = (sheds: number, bytes: number) =>
      shedding.admit({
        principal: { tenantId: 'a' },
        routeOptions: { config: { sheds } },
        headers: { 'content-length': String(bytes) },
      } as unknown as FastifyRequest);
    expect(workOf(1, 300)).toBeCloseTo(1, 1);
    expect(workOf(100, 30_000)).toBeCloseTo(100, 0);
    expect(workOf(1, 64 * 1024 * 100)).toBe(101);
  });
});
