/** The one source of time; an argument everywhere, so that a test can hold it still. */
export interface Clock {
  /** Wall-clock time. */
  now(): Date;
  /** Milliseconds that never go backwards, for durations. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(Date.now()),
  monotonicMs: () => performance.now(),
};
