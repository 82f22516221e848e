// The decision about retries, against the vectors that every library of Acuse is tested with.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decide } from '@acuse/client';
import { isUnknown, pauseMs, readRetryAfter, retryCost, rewarded } from '../dist/decide.js';
import { vectors } from './support/vectors.mjs';

const file = vectors('client-decisions.json');

describe('client-decisions.json', { skip: file === null && 'contract/vectors is not here' }, () => {
  for (const { name, in: given, out } of file?.decisions ?? [])
    it(name, () => {
      const headers = lowerCase(given.headers);
      const decision = decide({
        retry: given.class,
        outcome: given.outcome,
        attempt: given.attempt,
        maxRetries: given.max_retries,
        headers,
        random: given.u,
        budget: given.budget,
        timeLeftMs: given.time_left,
        nowMs: given.now,
      });
      assert.deepEqual(decision, {
        retry: out.retry,
        delayMs: out.delay,
        budget: out.budget,
        retryAfterMs: out.retry_after,
        unknown: out.unknown,
        because: out.because,
      });
    });

  it('Retry-After: every value', () => {
    for (const { value, now, date, ms } of file.retry_after) {
      const headers = { 'retry-after': value, ...(date !== undefined && date !== null && { date }) };
      assert.equal(readRetryAfter(headers, now), ms, JSON.stringify({ value, date }));
    }
  });

  it('delays: every retry', () => {
    for (const { retry, u, delay } of file.delays) assert.equal(pauseMs(retry, u, null), delay);
  });

  for (const { name, start, events } of file?.budgets ?? [])
    it(`budget: ${name}`, () => {
      let budget = start;
      let spent = 0;
      for (const { event, paid, budget: after } of events) {
        if (event.startsWith('ok')) {
          budget = rewarded(budget, event === 'ok' ? 0 : spent);
          spent = 0;
        } else {
          const outcome = { kind: event === 'timeout' ? 'timeout' : 'lost_answer' };
          const needed = retryCost(outcome);
          assert.equal(budget >= needed, paid);
          if (paid) {
            budget -= needed;
            spent += needed;
          }
        }
        assert.equal(budget, after);
      }
    });

  it('what may have been carried out', () => {
    for (const { in: given, out } of file.decisions) assert.equal(isUnknown(given.outcome), out.unknown);
  });
});

function lowerCase(headers) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
