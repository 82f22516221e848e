import { type ApiError, apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import { holdersOf } from '../../platform/network/network.ts';
import { createTurns } from '../../platform/turns.ts';

/** Enough for a mistyped key to be noticed. */
const FAILURES_PER_MINUTE = 100;
/** A /56, a /48 or an IPv4 /24 may fail this many times as often as one address. */
export const FAILURES_AROUND_TIMES = 10;
/** Look-ups for networks over either limit: one takes about a millisecond. */
export const LOOK_UPS_AT_ONCE = 4;
export const LOOK_UPS_WAITING_MAX = 256;

/**
 * Failures of well-formed keys by the networks they come from. Nobody is shut out by a neighbour, such as
 * somebody behind the same proxy: beyond the limit keys are still looked up, in turn.
 */
export interface FailedKeys {
  /** Throws rate_limited when too much waits. */
  lookUp<T>(address: string, work: () => Promise<T>): Promise<T>;
  /** Seconds to wait once the network has failed too often, else null. */
  count(address: string): number | null;
}

export function createFailedKeys(clock: Clock, perMinute = FAILURES_PER_MINUTE): FailedKeys {
  const limitOf = (burst: number) => createRateLimit({ clock, perSecond: burst / 60, burst });
  const own = limitOf(perMinute);
  const around = limitOf(perMinute * FAILURES_AROUND_TIMES);
  const inTurn = createTurns({
    atOnce: LOOK_UPS_AT_ONCE,
    waitingMax: LOOK_UPS_WAITING_MAX,
    tooMany: () => tooManyFailed(1),
  });

  /** Innermost first: refusals of a network do not count against those around it. */
  const counts = (holders: readonly string[]) =>
    holders.toReversed().map((name, at) => ({ name, limit: at === 0 ? own : around }));

  return {
    lookUp(address, work) {
      const holders = holdersOf(address);
      const isSpent = counts(holders).some(({ name, limit }) => !limit.peek(name).ok);
      return isSpent ? inTurn({ holders }, work) : work();
    },
    count(address) {
      for (const { name, limit } of counts(holdersOf(address))) {
        const { ok, retryAfterSeconds } = limit.take(name);
        if (!ok) return retryAfterSeconds;
      }
      return null;
    },
  };
}

export function tooManyFailed(retryAfterSeconds: number): ApiError {
  return apiError(
    'rate_limited',
    'Too many failed authentications from this address: retry after the seconds in Retry-After.',
    { retryAfterSeconds },
  );
}
