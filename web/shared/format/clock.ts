/** Times as numbers, for those that show none: small, because every page begins with it. */

/** Milliseconds between two times. */
export function elapsedMs(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}

/** Start of the day that lies this many days before today, UTC: `2026-11-08T00:00:00.000Z`. */
export function daysAgo(days: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days)).toISOString();
}

/** This many days from now. */
export function daysAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

export function nowIso(): string {
  return new Date().toISOString();
}

export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}
