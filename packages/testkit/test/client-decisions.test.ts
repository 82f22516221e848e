import fc from '@acuse/testkit/properties';
import { expect, test } from 'vitest';
import {
  type Attempt,
  CONSTANTS,
  decide,
  delayMs,
  httpDateMs,
  type RetryClass,
  retryAfterMs,
} from '../src/vectors/client-decisions.ts';
import { decisionVectors } from '../src/vectors/decision-cases.ts';

const ORDINARY: Attempt = {
  class: 'keyed',
  outcome: { kind: 'lost_answer' },
  attempt: 1,
  max_retries: 3,
  headers: {},
  u: 0,
  budget: 500,
  time_left: 180_000,
  now: 0,
};

/** As the libraries' documentation promises it: class → what is retried. */
const PROMISED: Record<RetryClass, readonly string[]> = {
  safe: ['no_connection', 'lost_answer', 'timeout', '408', '429', '500', '502', '503', '504'],
  keyed: ['no_connection', 'lost_answer', 'timeout', '408', '429', '500', '502', '503', '504'],
  repeatable: ['no_connection', 'lost_answer', 'timeout', '408', '429', '500', '502', '503', '504'],
  once: ['no_connection', '408', '429'],
};
const CODES: Record<number, string> = { 408: 'request_timeout', 429: 'rate_limited' };

test.each(Object.entries(PROMISED) as [RetryClass, string[]][])(
  '%s is retried on %j only',
  (each, promised) => {
    const kinds = ['no_connection', 'lost_answer', 'timeout', 'tls', 'malformed', 'cancelled'] as const;
    const retriedKinds = kinds.filter(
      (kind) => decide({ ...ORDINARY, class: each, outcome: { kind } }).retry,
    );
    const retriedStatuses = Array.from({ length: 500 }, (_, at) => at + 100).filter(
      (status) =>
        decide({ ...ORDINARY, class: each, outcome: { kind: 'answer', status, code: CODES[status] ?? null } })
          .retry,
    );
    expect([...retriedKinds, ...retriedStatuses.map(String)]).toEqual(promised);
  },
);

test('a client that is refused for an hour returns at once and says how long', () => {
  const answer = { kind: 'answer', status: 429, code: 'rate_limited' } as const;
  expect(decide({ ...ORDINARY, outcome: answer, headers: { 'Retry-After': '3600' } })).toEqual({
    retry: false,
    delay: null,
    budget: 500,
    retry_after: 3_600_000,
    unknown: false,
    because: 'retry_after',
  });
});

test('no delay is shorter than what the answer asks for, nor longer by more than a tenth', () => {
  const seconds = fc.integer({ min: 0, max: 60 });
  const retry = fc.integer({ min: 1, max: 12 });
  const u = fc.integer({ min: 0, max: 1_023 }).map((part) => part / 1_024);
  fc.assert(
    fc.property(seconds, retry, u, (asked, n, part) => {
      const delay = delayMs(n, part, asked * 1_000);
      expect(delay).toBeGreaterThanOrEqual(asked * 1_000);
      expect(delay).toBeLessThanOrEqual(Math.max(asked * 1_100, CONSTANTS.delay_max_ms));
      expect(Number.isInteger(delay)).toBe(true);
    }),
  );
});

test('dates are read as the platform writes them, and nothing else is', () => {
  const moment = fc.integer({ min: 0, max: 253_402_300_799 });
  fc.assert(
    fc.property(moment, (seconds) => {
      expect(httpDateMs(new Date(seconds * 1_000).toUTCString())).toBe(seconds * 1_000);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => httpDateMs(text) === null));
  expect(retryAfterMs({ 'RETRY-after': ' 7 ' }, 0)).toBe(7_000);
});

test('whatever the budget, a failing server never gets more than half again as many requests', () => {
  let budget: number = CONSTANTS.budget_max;
  let requests = 0;
  for (let call = 0; call < 200; call++) {
    for (let attempt = 1; ; attempt++) {
      requests++;
      const outcome = { kind: 'answer', status: 500, code: null } as const;
      const decision = decide({ ...ORDINARY, outcome, attempt, budget });
      budget = decision.budget;
      if (!decision.retry) break;
    }
  }
  expect(requests).toBe(300);
});

test('the vectors hold several hundred cases, each under a name of its own', () => {
  const { decisions } = decisionVectors() as { decisions: { name: string }[] };
  expect(decisions.length).toBeGreaterThan(300);
  expect(new Set(decisions.map(({ name }) => name)).size).toBe(decisions.length);
});
