/** The one source of time. Always an argument, so that tests can control it. */
export interface Clock {
  now(): Date;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(Date.now()),
  monotonicMs: () => performance.now(),
};
