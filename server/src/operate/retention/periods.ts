const DAY_MS = 86_400_000;

export function plainCutoff(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** A record never goes before its content. */
export function recordCutoff(now: Date, days: number, contentDays: number): Date {
  return plainCutoff(now, Math.max(days, contentDays));
}

/** To the day after its last event. */
export function keptUntil(lastHappenedAt: Date, years: number): Date {
  const until = new Date(lastHappenedAt);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return until;
}

/** A quick bound: younger ones are guarded in any case. */
export function certifiedCutoff(now: Date, years: number): Date {
  return keptUntil(now, -years);
}
