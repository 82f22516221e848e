/** How long content is kept. Pure. */

const DAY_MS = 86_400_000;

/** Plain content of messages accepted before this is past its retention period. */
export function plainCutoff(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/**
 * Until when the evidence of a certified message is kept: this many years, to the day, after its last event.
 */
export function keptUntil(lastHappenedAt: Date, years: number): Date {
  const until = new Date(lastHappenedAt);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return until;
}

/**
 * Certified messages accepted at this time or later are within their years, whatever happened to them since.
 */
export function certifiedCutoff(now: Date, years: number): Date {
  return keptUntil(now, -years);
}
